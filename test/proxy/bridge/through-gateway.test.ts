import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { type InProcess, ISSUER, startInProcess } from "../../support/in-process.ts";
import { APP } from "./agent.ts";
import { type SdkServer, sessionServer, statelessServer } from "./servers.ts";

const SERVERS: Readonly<Record<string, SdkServer>> = { stateless: statelessServer(), session: sessionServer() };
const HOUR = 3_600_000;

const CONFIGURATION: Partial<Configuration> = {
  mcpProvider: {
    serverName: "gateway",
    stream: {
      path: "/mcp",
      resource: `${ISSUER}/mcp`,
      session: { headerName: "Mcp-Session-Id", allowClientTermination: true, timeout: HOUR },
    },
    oauth: { enabled: false, metadataPath: "/resource-metadata", servers: [] },
    allowedOrigins: [ISSUER],
    allowedHosts: [new URL(ISSUER).host],
  },
  apps: Object.keys(SERVERS).map((name) => ({
    ...APP,
    name,
    namespace: `${name}_`,
    url: `http://${name}.example/mcp`,
  })),
};

let gateway: InProcess;
beforeAll(async () => {
  const fetch: typeof globalThis.fetch = (input, init) => {
    const [name = ""] = new URL(String(input)).hostname.split(".");
    return (SERVERS[name] as SdkServer).fetch(input, init);
  };
  gateway = await startInProcess({
    configuration: CONFIGURATION,
    adapt: (dependencies) => ({ ...dependencies, outbound: () => fetch }),
  });
});
afterAll(() => gateway.close());

/** What this test needs of a client of either SDK. */
interface AnyClient {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

const MCP = new URL(`${ISSUER}/mcp`);
const inProcess: typeof globalThis.fetch = (input, init) => gateway.send(new URL(String(input)).pathname, init);
const INFO = { name: "test", version: "1" };
const CAPABILITIES = { capabilities: { elicitation: {} } };

/** Each answers what it is asked with the next name. */
const CLIENTS: Readonly<Record<string, (names: string[]) => Promise<AnyClient>>> = {
  "version 2 of the SDK, stateless": async (names) => {
    const client = new Client(INFO, { ...CAPABILITIES, versionNegotiation: { mode: "auto" } });
    client.setRequestHandler("elicitation/create", () => accepted(names));
    await client.connect(new StreamableHTTPClientTransport(MCP, { fetch: inProcess }));
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    return client;
  },
  "version 1 of the SDK, in a session": async (names) => {
    const client = new OldClient(INFO, CAPABILITIES);
    client.setRequestHandler(ElicitRequestSchema, () => accepted(names));
    // The SDK's own class fits its own interface only without exactOptionalPropertyTypes.
    await client.connect(new OldTransport(MCP, { fetch: inProcess }) as Transport);
    return client;
  },
};

function accepted(names: string[]) {
  return { action: "accept" as const, content: { name: names.shift() ?? "" } };
}

describe.each(Object.keys(CLIENTS))("30. %s", (client) => {
  test.each(Object.keys(SERVERS))(
    "30. is asked by an upstream of the %s generation, again and again",
    async (server) => {
      const connected = await (CLIENTS[client] as (typeof CLIENTS)[string])(["Alice", "Bob"]);
      const result = await connected.callTool({ name: `${server}_introduce`, arguments: {} });
      expect(result).toMatchObject({ content: [{ text: "Alice meets Bob" }] });
      await connected.close();
    },
  );
});

test("30. each repetition is a call of its own in the audit log; one with a state that was altered is denied", async () => {
  const call = async (params: object) => {
    const name = "stateless_greet";
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
    };
    const response = await gateway.send("/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": name,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: {}, ...params, _meta },
      }),
    });
    const text = await response.text();
    return JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
  };
  const { result } = await call({});
  const inputResponses = { who: { action: "accept", content: { name: "Alice" } } };
  const altered = await call({ inputResponses, requestState: `${result.requestState}-TAMPERED` });
  expect(altered.error).toMatchObject({ code: -32602, message: "invalid requestState" });
  const last = await call({ inputResponses, requestState: result.requestState });
  expect(last.result).toMatchObject({ resultType: "complete", content: [{ text: "Hello Alice (greeting:0)" }] });
  const { auditLog, directory } = gateway.dependencies.stores;
  const { organizationId = "" } = (await directory.firstOrganization()) ?? {};
  const { items } = await auditLog.query({ organizationId, type: "tool.invoked" }, { limit: 100 });
  const outcomes = items
    .filter(({ tool }) => tool === "stateless_greet")
    .map(({ outcome, reason }) => [outcome, reason]);
  expect(outcomes).toHaveLength(3);
  expect(outcomes).toEqual(
    expect.arrayContaining([
      ["success", undefined],
      ["denied", "invalid_request_state"],
      ["success", "input_required"],
    ]),
  );
});
