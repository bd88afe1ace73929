import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../infra/node/server.ts";
import { openEmbeddedStore } from "../../infra/node/sqlite/embedded-store.ts";
import { StartupError } from "../../infra/node/startup-error.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { answerOf, manage, type Owner, setUpOwner } from "../behaviour/fixture.ts";
import { auditEvent } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { SETUP_TOKEN } from "../support/runtime.ts";

let folder: string;
let lines: string[];
const running: RunningServer[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-settings-"));
  lines = [];
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  rmSync(folder, { recursive: true });
});

/** The next server on the store. */
async function start(gateway = "mcpProvider: {enabled: true, transports: {stream: {enabled: true, path: /mcp}}}") {
  const text = `version: "1"
http: {address: "127.0.0.1:${await freePort()}"}
store: {path: ${JSON.stringify(folder)}}
console: {enabled: true, setupToken: "${SETUP_TOKEN}"}
logger: {jsonOutput: true}
oidcProvider: {region: us}
${gateway}`;
  const compiled = await compileConfiguration(text, { file: "test.yaml", readDocument: nothingToRead });
  if ("errors" in compiled) throw new Error(compiled.errors.map(({ message }) => message).join("\n"));
  const server = await startServer({
    artifact: compiled.artifact,
    environment: {},
    secrets: { get: nothingToRead },
    verbose: false,
    write: (line) => lines.push(line),
  });
  running.push(server);
  return { region: "us", url: server.url, logs: () => lines } as const;
}

function nothingToRead(): Promise<never> {
  return Promise.reject(new Error("nothing is read"));
}

/** Status of a handshake at a path. */
async function handshake(url: string, path: string): Promise<number> {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "An agent", version: "1" } };
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
  });
  await response.text();
  return response.status;
}

const replace = (owner: Owner, values: unknown) => answerOf(manage(owner, "PUT", "/gateway-settings", values));
const isApplied = async (owner: Owner) =>
  ((await answerOf(manage(owner, "GET", "/gateway-settings"))).body as { isApplied: boolean }).isApplied;

test("a server follows what another process stores, without a restart, and the next one begins with it", async () => {
  const first = await start();
  const owner = await setUpOwner(first);
  await replace(owner, { streamPath: "/one" });
  expect([await handshake(first.url, "/one"), await handshake(first.url, "/mcp")]).toEqual([200, 404]);
  const store = openEmbeddedStore(folder, systemClock);
  const { revision } = await store.stores.settings.readSettings();
  await store.stores.settings.replaceSettings({ revision: revision + 1, values: { streamPath: "/two" } }, auditEvent());
  await store.close();
  await eventually(
    () => handshake(first.url, "/two"),
    (status) => status === 200,
  );
  expect(await isApplied(owner)).toBe(true);
  await running.pop()?.stop();
  const second = await start();
  expect([await handshake(second.url, "/two"), await handshake(second.url, "/mcp")]).toEqual([200, 404]);
});

test("a YAML that no longer allows what is stored closes the gateway alone, says so in health, and is repaired in the Console", async () => {
  const former = await start();
  const owner = await setUpOwner(former);
  await replace(owner, { streamPath: "/agents" });
  await running.pop()?.stop();
  const server = await start(`mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, path: /mcp}, sse: {enabled: true, path: /agents, messagePath: /messages}}`);
  const here = { ...owner, region: server };
  expect([await handshake(server.url, "/agents"), await handshake(server.url, "/mcp")]).toEqual([404, 404]);
  const health = await answerOf(fetch(`${server.url}/status`));
  expect([health.status, health.body]).toEqual([
    503,
    { status: "down", components: [{ name: "gateway-settings", status: "down" }] },
  ]);
  expect(lines.filter((line) => line.includes("the stored gateway settings do not fit"))).toHaveLength(1);
  expect(await isApplied(here)).toBe(false);
  expect(await replace(here, { streamPath: "/agents" })).toMatchObject({ status: 422 });
  expect(await replace(here, {})).toMatchObject({ status: 200, body: { isApplied: true } });
  expect([await handshake(server.url, "/mcp"), (await fetch(`${server.url}/status`)).status]).toEqual([200, 200]);
});

test("settings that cannot be read are a startup error, where there is a gateway", async () => {
  await start();
  await running.pop()?.stop();
  const database = new DatabaseSync(join(folder, "countersign.db"));
  database.exec("DROP TABLE settings");
  database.close();
  const failure = await start().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartupError);
  expect((failure as Error).message).toMatch(/^Cannot read the gateway settings in the store: .*no such table/);
  await start("");
});

test("without mcpProvider in the YAML there is nothing to set, and the answer says what to add", async () => {
  const owner = await setUpOwner(await start(""));
  const { status, body } = await answerOf(manage(owner, "GET", "/gateway-settings"));
  expect([status, body]).toMatchObject([404, { detail: expect.stringContaining("Add `mcpProvider`") }]);
  expect((await replace(owner, {})).status).toBe(404);
});
