import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openSecrets } from "../../infra/node/secrets.ts";
import { type RunningServer, startServer } from "../../infra/node/server.ts";
import { compiled, mistakes } from "../config/support.ts";
import { freePort } from "../support/free-port.ts";

let folder: string;
let running: RunningServer | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-provider-"));
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
});
afterAll(() => rm(folder, { recursive: true }));

test("the gateway is where stream.path says, and is called what serverName says", async () => {
  const url = await start({ serverName: "Gateway of the Test", transports: { stream: stream(true) } });
  const response = await initialize(`${url}/agents`);
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('"serverInfo":{"name":"Gateway of the Test"');
  expect((await initialize(`${url}/mcp`)).status).toBe(404);
});

test("without stream.enabled there is no gateway to connect to", async () => {
  const url = await start({ transports: { stream: stream(false) } });
  expect((await initialize(`${url}/agents`)).status).toBe(404);
});

test("with oauth.enabled agents need a token, and the metadata is where metadataPath says", async () => {
  const port = await freePort();
  const publicURL = `http://127.0.0.1:${port}`;
  const server = {
    wellKnownEndpoint: `${publicURL}/.well-known/openid-configuration`,
    tokenValidation: { expectedAudiences: [`${publicURL}/agents`] },
  };
  const oauth = { enabled: true, metadataPath: "/about/resource", servers: [server] };
  const url = await start({ transports: { stream: stream(true) }, authorization: { oauth } }, port);
  expect((await initialize(`${url}/agents`)).status).toBe(401);
  const metadata = await fetch(`${url}/about/resource`);
  expect(await metadata.json()).toMatchObject({ resource: `${url}/agents`, authorization_servers: [url] });
});

test.each(["secretProvider", "secrets"])("the document cannot name a secret provider: %s is refused", async (key) => {
  const found = await mistakes(JSON.stringify({ version: "1", [key]: "env://A_" }));
  expect(found).toEqual([expect.stringContaining(`${key}: unknown key`)]);
});

const stream = (enabled: boolean) => ({ enabled, path: "/agents" });

async function start(mcpProvider: Readonly<Record<string, unknown>>, port?: number): Promise<string> {
  const chosen = port ?? (await freePort());
  const document = {
    version: "1",
    http: { address: `127.0.0.1:${chosen}` },
    store: { path: join(folder, String(chosen)) },
    oidcProvider: { region: "us" },
    mcpProvider: { enabled: true, ...mcpProvider },
  };
  running = await startServer({
    artifact: await compiled(JSON.stringify(document)),
    environment: {},
    secrets: await openSecrets(undefined, {}),
    verbose: false,
    write: () => undefined,
  });
  return running.url;
}

function initialize(url: string): Promise<Response> {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
  });
}
