import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, test } from "vitest";
import { PERSON } from "../../support/sign-in-server.ts";
import { auditOutcome } from "../gateway-fixture.ts";
import { SCOPES } from "./configuration.ts";
import { Person } from "./person.ts";
import type { McpClientsUnderTest } from "./under-test.ts";

interface SignedIn {
  call(tool: string, given: Readonly<Record<string, unknown>>): Promise<unknown>;
  close(): Promise<void>;
}

/** Connects, and signs the person in when the client asks for it. */
type Connect = (url: URL, person: Person) => Promise<SignedIn>;

const CLIENTS: readonly (readonly [name: string, connect: Connect])[] = [
  ["version 2 of the SDK, stateless", (url, person) => connectNew(url, person, "auto")],
  ["version 2 of the SDK, in a session", (url, person) => connectNew(url, person, "legacy")],
  ["version 1 of the SDK", connectOld],
];

/**
 * The way in for people (MCP 2026-07-28, Authorization): 401, protected resource metadata, the other server's metadata,
 * registration, a code with PKCE for this resource, a token.
 */
export function signingIn(it: () => McpClientsUnderTest): void {
  describe("signing in at another authorization server", () => {
    test.each(CLIENTS)("%s finds its way from the URL alone and calls as the person", async (_, connect) => {
      const { us, signIn, owner } = it();
      const before = signIn.requests.length;
      const person = new Person();
      const client = await connect(new URL(`${us.url}/mcp`), person);
      const made = await client.call("createNote", { title: "Mine" });
      expect(made).toMatchObject({ structuredContent: { title: "Mine" } });
      await client.close();

      const requests = signIn.requests.slice(before);
      expect(requests.filter(({ path }) => path === "/reg")).toHaveLength(1);
      const resource = `${us.url}/mcp`;
      const asked = requests.find(({ path }) => path === "/auth")?.parameters;
      expect(asked).toMatchObject({ resource, code_challenge_method: "S256" });
      expect(asked?.scope?.split(" ")).toEqual(expect.arrayContaining([...SCOPES]));
      expect(requests.findLast(({ path }) => path === "/token")?.parameters).toMatchObject({ resource });
      const record = await auditOutcome(owner, "createNote", "success");
      expect(record).toMatchObject({ user: PERSON, agent: asked?.client_id });
    });

    test.each(CLIENTS)(
      "%s gets another token when its own is refused, without asking the person",
      async (_, connect) => {
        const { us, signIn } = it();
        const person = new Person();
        const client = await connect(new URL(`${us.url}/mcp`), person);
        const before = signIn.requests.length;
        person.spoilToken();
        const note = await client.call("getNote", { noteId: "1" });
        expect(note).toMatchObject({ structuredContent: { title: "First" } });
        await client.close();
        const grants = signIn.requests.slice(before).map(({ parameters }) => parameters.grant_type);
        expect(grants.filter((grant) => grant !== undefined)).toEqual(["refresh_token"]);
        expect(person.sentTo).toHaveLength(1);
      },
    );
  });
}

async function connectNew(url: URL, person: Person, mode: "auto" | "legacy"): Promise<SignedIn> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const refused = new StreamableHTTPClientTransport(url, { authProvider: person });
  await expect(client.connect(refused)).rejects.toThrow();
  await refused.finishAuth(await person.signIn());
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: person }));
  return {
    call: (tool, given) => client.callTool({ name: `upstream_${tool}`, arguments: given }),
    close: () => client.close(),
  };
}

async function connectOld(url: URL, person: Person): Promise<SignedIn> {
  const client = new OldClient({ name: "test", version: "1" });
  const refused = new OldTransport(url, { authProvider: person });
  await expect(client.connect(refused)).rejects.toThrow("Unauthorized");
  await refused.finishAuth((await person.signIn()).get("code") ?? "");
  await client.connect(new OldTransport(url, { authProvider: person }));
  return {
    call: (tool, given) => client.callTool({ name: `upstream_${tool}`, arguments: given }),
    close: () => client.close(),
  };
}
