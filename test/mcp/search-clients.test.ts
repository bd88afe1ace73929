import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ISSUER } from "../support/in-process.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { type OpenGateway, openGateway } from "./open-gateway.ts";

let it: OpenGateway;
let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
  it = await openGateway({
    // The name that clients know.
    session: { headerName: "Mcp-Session-Id" },
    upstreamURL: upstream.url,
    catalog: { search: "on", threshold: 150 },
  });
});
afterAll(async () => {
  await it.close();
  await upstream.stop();
});

/** What this test needs of a client of either SDK. */
interface AnyClient {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

const URL_OF_STREAM = new URL(`${ISSUER}/mcp`);
const inProcess: typeof globalThis.fetch = (input, init) => {
  const { pathname, search } = new URL(String(input));
  return it.send(pathname + search, init);
};
const CLIENTS: readonly (readonly [name: string, connect: () => Promise<AnyClient>])[] = [
  [
    "version 2 of the SDK, stateless",
    async () => {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
      await client.connect(new StreamableHTTPClientTransport(URL_OF_STREAM, { fetch: inProcess }));
      return client;
    },
  ],
  [
    "version 1 of the SDK, with a session",
    async () => {
      const client = new OldClient({ name: "test", version: "1" });
      // The SDK's own class fits its own interface only without exactOptionalPropertyTypes.
      await client.connect(new OldTransport(URL_OF_STREAM, { fetch: inProcess }) as Transport);
      return client;
    },
  ],
];

test.each(CLIENTS)("%s searches, describes and calls a tool", async (_, connect) => {
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["search_tools", "describe_tools", "call_tool"]);
  const call = (name: string, given: Record<string, unknown>) => client.callTool({ name, arguments: given });
  expect(await call("search_tools", { query: "read a note" })).toMatchObject({
    structuredContent: { tools: expect.arrayContaining([expect.objectContaining({ name: "getNote" })]) },
  });
  expect(await call("search_tools", {})).toMatchObject({ isError: true });
  expect(JSON.stringify(await call("describe_tools", { names: ["getNote"] }))).toContain("inputSchema");
  const read = await call("call_tool", { name: "getNote", arguments: { noteId: "1" } });
  expect(JSON.stringify(read)).toContain("Hello.");
  await client.close();
});
