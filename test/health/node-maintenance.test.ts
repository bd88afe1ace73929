import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../infra/node/server.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { startProvider, type TestProvider } from "../connectors/provider.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { startPolledTransmitter } from "../support/polled-transmitter.ts";

const nothingToRead = () => Promise.reject(new Error("nothing is read"));

let folder: string;
let provider: TestProvider;
let lines: string[];
let server: RunningServer | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "countersign-maintenance-"));
  provider = await startProvider();
  lines = [];
});
afterEach(async () => {
  await server?.stop();
  await provider.stop();
  rmSync(folder, { recursive: true });
});

async function start(more = ""): Promise<RunningServer> {
  const text = `version: "1"
http: {address: "127.0.0.1:${await freePort()}"}
store: {path: ${JSON.stringify(folder)}}
logger: {jsonOutput: true}
connectors:
  - name: corp
    type: oidc
    oidcWellKnownURL: ${provider.wellKnownURL}
    oauthClientID: countersign
    oauthClientSecret: of-the-connector
${more}`;
  const compiled = await compileConfiguration(text, { file: "test.yaml", readDocument: nothingToRead });
  if ("errors" in compiled) throw new Error(compiled.errors.map(({ message }) => message).join("\n"));
  server = await startServer({
    artifact: compiled.artifact,
    environment: {},
    secrets: { get: nothingToRead },
    verbose: false,
    write: (line) => lines.push(line),
  });
  return server;
}

const logged = (message: string) => async () => lines.filter((line) => line.includes(`"${message}"`)).length;

test("a server looks for its connectors at its start and until it finds them, without any request", async () => {
  await provider.down();
  await start();
  await eventually(logged("connector not available"), (count) => count === 1);
  await provider.up();
  await eventually(logged("connector available again"), (count) => count === 1);
  expect(await logged("connector not available")()).toBe(1);
});

test("a server that stops lets go of a provider that is silent, and takes it for no failure", async () => {
  provider.hold();
  const { stop } = await start();
  await eventually(
    async () => provider.held,
    (held) => held === 1,
  );
  await stop();
  await eventually(
    async () => provider.held,
    (held) => held === 0,
  );
  expect(await logged("connector not available")()).toBe(0);
  expect(provider.requests).toHaveLength(1);
});

test("75. a server fetches security events from its start on, without any request", async () => {
  const transmitter = await startPolledTransmitter();
  await start(`signals: [{connector: corp, delivery: poll, token: of-the-stream, pollURL: "${transmitter.url}"}]`);
  const [asked] = await eventually(
    async () => transmitter.asked,
    (requests) => requests.length > 0,
  );
  expect(asked?.authorization).toBe("Bearer of-the-stream");
  await transmitter.stop();
});
