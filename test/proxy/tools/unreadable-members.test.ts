import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as SessionClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as SessionTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { McpBridgeAppConfiguration } from "../../../lib/config/app-configuration.ts";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { compile, parameter } from "../../bridge/compiled.ts";
import { ISSUER } from "../../support/in-process.ts";
import { mcpServer, toolOf } from "./mcp-server.ts";
import { type ProxyingGateway, proxyingGateway } from "./proxying-gateway.ts";

const text = { type: "string" };
const lost = { type: "object", properties: { a: { $ref: "#/components/schemas/A" } } };
const odd = mcpServer([
  toolOf("text", { outputSchema: text }),
  toolOf("lost", { outputSchema: lost }),
  toolOf("icon", { icons: [{}] }),
  toolOf("null", { inputSchema: { type: "object", properties: { a: null } } }),
  toolOf("any", { inputSchema: { type: "object", properties: { a: true } } }),
]);

async function restApp(): Promise<McpBridgeAppConfiguration> {
  const get = { operationId: "any", parameters: [parameter("q", "query", { schema: true })] };
  const catalog = await compile({ paths: { "/any": { get } } }, { disabled: false, name: "rest_" });
  return {
    type: "mcpBridge",
    name: "rest",
    catalog,
    baseURL: "https://rest.example",
    timeout: 1_000,
    inboundTools: [],
    stepUp: [],
    outbound: { type: "unprotected" },
  };
}

let it: ProxyingGateway;
beforeAll(async () => {
  it = await proxyingGateway({ servers: { odd, good: mcpServer([toolOf("fine")]) }, apps: [await restApp()] });
});
afterAll(() => it.close());

const IMPLEMENTATION = { name: "test", version: "1" };
const ADDRESS = new URL(`${ISSUER}/mcp`);

const versionOne = async () => {
  const client = new SessionClient(IMPLEMENTATION);
  await client.connect(new SessionTransport(ADDRESS, { fetch: it.fetch }) as Transport);
  return client;
};
const versionTwo = async (mode: "legacy" | "auto") => {
  const client = new Client(IMPLEMENTATION, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(ADDRESS, { fetch: it.fetch }));
  return client;
};

test.each<readonly [string, () => Promise<Client | SessionClient>, JsonObject | undefined]>([
  ["version 1 of the SDK", versionOne, undefined],
  ["version 2 of the SDK in the session generation", () => versionTwo("legacy"), undefined],
  ["version 2 of the SDK in the stateless generation", () => versionTwo("auto"), text],
])("31. %s reads and calls what all apps have, without what it could not read", async (_, connect, outputSchema) => {
  const client = (await connect()) as Client;
  const { tools } = await client.listTools();
  const names = ["odd_text", "odd_lost", "odd_icon", "odd_any", "good_fine", "rest_any"];
  expect(tools.map(({ name }) => name).sort()).toEqual(names.sort());
  const named = (wanted: string) => tools.find(({ name }) => name === wanted);
  expect(named("odd_text")?.outputSchema).toEqual(outputSchema);
  expect(named("odd_lost")?.outputSchema).toBeUndefined();
  expect(named("odd_any")?.inputSchema.properties).toEqual({ a: {} });
  expect(named("rest_any")?.inputSchema.properties).toEqual({ q: {} });
  expect(await client.callTool({ name: "odd_lost" })).toMatchObject({ content: [{ text: "called lost" }] });
  await client.close();
});

test("31. whoever runs the server finds in the log what clients are not shown", async () => {
  await it.names();
  const reasons = it.logs
    .map((line) => JSON.parse(line) as JsonObject)
    .filter(({ msg, app }) => msg === "an upstream lists what cannot be used" && app === "odd")
    .map(({ reasons }) => reasons);
  expect(reasons).toContain(
    '1 with inputSchema is no schema of an object, as "null"; 1 shown without outputSchema, as "lost"; 1 shown without icons, as "icon"',
  );
});
