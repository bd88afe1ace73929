import { Client, StreamableHTTPClientTransport, UrlElicitationRequiredError } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  ElicitationCompleteNotificationSchema,
  UrlElicitationRequiredError as OldUrlElicitationRequiredError,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import type { RuntimeUnderTest } from "../../support/runtime.ts";
import { mcpURL } from "../gateway-fixture.ts";
import { holdsStreams } from "../mcp/fixture.ts";
import { type RecordedFetch, recordedFetch } from "../mcp-clients/recorded-fetch.ts";
import { type ConnectionsUnderTest, linkIn, NOTE, type Told } from "./fixture.ts";

/** An agent that is connected, whichever version of the TypeScript SDK it is made with. */
interface SdkAgent extends Pick<RecordedFetch, "exchanges"> {
  call(name: string, given?: Readonly<Record<string, unknown>>): Promise<Pick<Told["result"], "isError" | "content">>;
  /** Resolves once the agent hears what changes. */
  listen(): Promise<void>;
  toolNames(): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface SdkOptions {
  readonly url: string;
  readonly token: string;
  /** With URL-mode elicitation: takes links that the SDK asks the application to open. Absent: it declares no elicitation. */
  readonly open: ((link: string) => void) | undefined;
  /** Takes the `elicitationId` of what is complete. */
  readonly completed: (id: string) => void;
  readonly changed: () => void;
}

const IMPLEMENTATION = { name: "agent", version: "1" };
const URL_MODE = { capabilities: { elicitation: { url: {} } } };

async function connectOld({ url, token, open, completed, changed }: SdkOptions): Promise<SdkAgent> {
  const { fetch, exchanges } = recordedFetch();
  const client = new OldClient(IMPLEMENTATION, open && URL_MODE);
  client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => completed(params.elicitationId));
  client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  // The SDK's own class fits its own interface only without exactOptionalPropertyTypes.
  await client.connect(new OldTransport(new URL(url), { fetch, requestInit }) as Transport);
  return {
    exchanges,
    call: async (name, given = NOTE.arguments) =>
      (await client.callTool({ name, arguments: given })) as Pick<Told["result"], "content">,
    listen: () => untilListening(exchanges),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    close: () => client.close(),
  };
}

function connectNew(mode: "legacy" | "auto") {
  return async ({ url, token, open, completed, changed }: SdkOptions): Promise<SdkAgent> => {
    const { fetch, exchanges } = recordedFetch();
    const client = new Client(IMPLEMENTATION, { ...(open && URL_MODE), versionNegotiation: { mode } });
    client.setNotificationHandler("notifications/elicitation/complete", ({ params }) =>
      completed(params.elicitationId),
    );
    client.setNotificationHandler("notifications/tools/list_changed", changed);
    if (open !== undefined) {
      client.setRequestHandler("elicitation/create", ({ params }) => {
        if (params.mode !== "url") throw new Error(`It was asked in mode ${params.mode}.`);
        open(params.url);
        return { action: "accept" };
      });
    }
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch, requestInit }));
    return {
      exchanges,
      call: async (name, given = NOTE.arguments) =>
        (await client.callTool({ name, arguments: given })) as Pick<Told["result"], "content">,
      listen: async () =>
        void (await (mode === "auto" ? client.listen({ toolsListChanged: true }) : untilListening(exchanges))),
      toolNames: async () =>
        (await client.listTools(undefined, { cacheMode: "refresh" })).tools.map(({ name }) => name),
      close: () => client.close(),
    };
  };
}

interface Sdk {
  readonly title: string;
  readonly connect: (options: SdkOptions) => Promise<SdkAgent>;
  /** Neither version makes a call again after -32042: the application does. Version 2 does after `input_required`. */
  readonly repeats: boolean;
}

const SDKS: readonly Sdk[] = [
  { title: "version 1 of the SDK in 2025-11-25", connect: connectOld, repeats: false },
  { title: "version 2 of the SDK in 2025-11-25", connect: connectNew("legacy"), repeats: false },
  { title: "version 2 of the SDK in 2026-07-28", connect: connectNew("auto"), repeats: true },
];

/** Agents that are made with the official SDK for TypeScript, for people who have not connected. */
export function sdkAgents(runtime: RuntimeUnderTest, it: () => ConnectionsUnderTest): void {
  describe.each(SDKS)("$title", ({ title, connect, repeats }) => {
    const start = async (login: string, hasURLMode: boolean) => {
      const [links, completed] = [[] as string[], [] as string[]];
      const walks: Promise<void>[] = [];
      let changes = 0;
      const open = (link: string) => {
        links.push(link);
        walks.push(it().walk(link, login));
      };
      const { token } = await it().agentOf(login);
      const agent = await connect({
        ...{ url: mcpURL(it().us), token, open: hasURLMode ? open : undefined },
        completed: (id) => completed.push(id),
        changed: () => {
          changes += 1;
        },
      });
      return { agent, links, completed, walks, changes: () => changes };
    };
    const personOf = (what: string) => `${what}-${title.replaceAll(/[^\d]+/g, "")}`;

    test("without URL mode gives the model the link, and its next call has the person's token", async () => {
      const login = personOf("sdk-plain");
      const { agent } = await start(login, false);
      const result = await agent.call(NOTE.name);
      expect(result.isError).toBe(true);
      await it().walk(linkIn({ result }), login);
      expect((await agent.call(NOTE.name)).content[0]?.text).toContain(login);
      await agent.close();
    });

    test("with URL mode opens the link, and its call has the person's token", async () => {
      const login = personOf("sdk-url");
      const { agent, links, completed, walks } = await start(login, true);
      if (repeats) {
        // The SDK opens the link by its handler, and makes the call again with the state; that waits for the person.
        expect((await agent.call(NOTE.name)).content[0]?.text).toContain(login);
        await Promise.all(walks);
        expect(links).toEqual([expect.stringContaining("/connect/")]);
        expect(agent.exchanges.filter(({ rpc }) => rpc === "tools/call")).toHaveLength(2);
      } else {
        if (holdsStreams(runtime)) await agent.listen();
        const [elicitation] = await elicitationsOf(agent.call(NOTE.name));
        await it().walk(elicitation?.url ?? "", login);
        if (holdsStreams(runtime)) await expect.poll(() => completed).toEqual([elicitation?.elicitationId]);
        expect((await agent.call(NOTE.name)).content[0]?.text).toContain(login);
      }
      await agent.close();
    });

    test("has the tool that connects of an MCP server, hears that there are others then, and calls one", async () => {
      const login = personOf("sdk-desk");
      const { agent, changes } = await start(login, false);
      const names = async () => (await agent.toolNames()).filter((name) => name.startsWith("desk_"));
      if (holdsStreams(runtime)) await agent.listen();
      expect(await names()).toEqual(["desk_connect"]);
      await it().walk(linkIn({ result: await agent.call("desk_connect", {}) }), login);
      if (holdsStreams(runtime)) await expect.poll(changes, { timeout: 20_000 }).toBeGreaterThan(0);
      expect(await names()).toContain("desk_whoami");
      expect((await agent.call("desk_whoami", {})).content[0]?.text).toContain(login);
      await agent.close();
    });
  });
}

/** A session hears by its GET stream, which the SDK opens by itself once it is initialized. */
async function untilListening(exchanges: SdkAgent["exchanges"]): Promise<void> {
  await expect
    .poll(() => exchanges.some(({ method, contentType }) => method === "GET" && contentType === "text/event-stream"))
    .toBe(true);
}

async function elicitationsOf(call: Promise<unknown>) {
  const error = await call.catch((cause: unknown) => cause);
  if (error instanceof UrlElicitationRequiredError || error instanceof OldUrlElicitationRequiredError) {
    return error.elicitations;
  }
  throw new Error("The SDK does not take it for an elicitation.", { cause: error });
}
