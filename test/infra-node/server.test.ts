import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RunningServer, type ServerOptions, startServer } from "../../infra/node/server.ts";
import { StartupError } from "../../infra/node/startup-error.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { ConfigurationError } from "../../lib/config/messages.ts";
import { freePort } from "../support/free-port.ts";

const YAML = `
version: "1"
http:
  address: "{{ env.ADDRESS }}"
store:
  path: "{{ env.STORE }}"
console:
  enabled: true
oidcProvider:
  region: us
logger:
  jsonOutput: true
`;

let folder: string;
let store: string;
let port: number;
let lines: string[];
let announced: { readonly token: string; readonly link: string }[];
const running: RunningServer[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "countersign-server-"));
  store = join(folder, "store");
  port = await freePort();
  [lines, announced] = [[], []];
});

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  rmSync(folder, { recursive: true });
});

test("it serves health at the public URL and logs every line with the instance's soid", async () => {
  const server = await start();
  expect(server.url).toBe(`http://127.0.0.1:${port}`);
  expect((await fetch(`${server.url}/status`)).status).toBe(200);
  const entries = lines.map((line) => JSON.parse(line));
  expect(entries.map((entry) => entry.msg)).toContain("listening");
  expect(new Set(entries.map((entry) => entry.soid))).toEqual(new Set([readFileSync(join(store, "soid"), "utf8")]));
});

test("instance id and client id secret are kept over a restart, readable by this user only", async () => {
  await (await start()).stop();
  const before = keptFiles();
  await (await start()).stop();
  expect(keptFiles()).toEqual(before);
  expect(before.clientIdKey).toHaveLength(32);
  expect(statSync(join(store, "client-id.key")).mode & 0o777).toBe(0o600);
});

test("a client id secret that was cut off is a startup error, not a weaker check", async () => {
  await (await start()).stop();
  writeFileSync(join(store, "client-id.key"), "short");
  await expect(start()).rejects.toThrow(/client-id\.key must hold at least 32 bytes/);
});

test("without an owner and a configured setup token one is announced, works once and is not in the log", async () => {
  const server = await start();
  const [{ token: setupToken, link } = { token: "", link: "" }] = announced;
  expect(setupToken).toMatch(/^[\w-]{43}$/);
  expect(link).toBe(`${server.url}/console/setup#token=${setupToken}`);
  expect(lines.join("\n")).not.toContain(setupToken);
  const setUp = () =>
    fetch(`${server.url}/api/v1/setup`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token: setupToken, organization: "Example", email: "owner@example.com" }),
    });
  expect((await setUp()).status).toBe(201);
  expect((await setUp()).status).not.toBe(201);
  await server.stop();
  await start();
  expect(announced).toHaveLength(1);
});

test("a taken port is a startup error of one line, and the store is left closed", async () => {
  await start();
  const other = { STORE: join(folder, "other") };
  const failure = await start(other).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartupError);
  // The first server's; a server that does not listen announces none.
  expect(announced).toHaveLength(1);
  expect((failure as Error).message).toMatch(/^Cannot listen on 127\.0\.0\.1:\d+: the port is in use/);
  rmSync(other.STORE, { recursive: true });
});

test("a store path that is a file is a startup error that names it", async () => {
  writeFileSync(store, "a file");
  const failure = await start().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartupError);
  expect((failure as Error).message).toContain(store);
});

test("a database that is none is a startup error", async () => {
  await (await start()).stop();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(store, `countersign.db${suffix}`), { force: true });
  writeFileSync(join(store, "countersign.db"), "this is no database, however long it may be".repeat(100));
  await expect(start()).rejects.toThrow(StartupError);
});

test.each([
  [1, []],
  [5, [expect.stringMatching(/^audit \d+ \(known here: \d+\), registry \d+ \(known here: \d+\)$/)]],
])(
  "a store whose schema is %i versions ahead is served, with one warning unless it is the next",
  async (ahead, told) => {
    await (await start()).stop();
    const database = new DatabaseSync(join(store, "countersign.db"));
    database.exec(`UPDATE schema_versions SET version = version + ${ahead} WHERE name IN ('audit', 'registry')`);
    database.close();
    lines = [];
    await start();
    const entries = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith("the store is ahead"));
    expect(entries.map(({ schemas }) => schemas)).toEqual(told);
  },
);

test("a variable that is not set is a configuration error, and nothing is left open", async () => {
  await expect(start({ ADDRESS: undefined })).rejects.toThrow(ConfigurationError);
});

test("stopping twice is stopping once", async () => {
  const server = await start();
  await Promise.all([server.stop(), server.stop()]);
  await server.stop();
  await expect(fetch(`${server.url}/status`)).rejects.toThrow();
});

async function start(environment: ServerOptions["environment"] = {}): Promise<RunningServer> {
  const compiled = await compileConfiguration(YAML, { file: "test.yaml", readDocument: nothingToRead });
  if ("errors" in compiled) throw new ConfigurationError(compiled.errors);
  const server = await startServer({
    artifact: compiled.artifact,
    environment: { ADDRESS: `127.0.0.1:${port}`, STORE: store, ...environment },
    secrets: { get: nothingToRead },
    verbose: false,
    write: (line) => lines.push(line),
    announceSetupToken: (token, link) => announced.push({ token, link }),
  });
  running.push(server);
  return server;
}

function keptFiles() {
  return { soid: readFileSync(join(store, "soid"), "utf8"), clientIdKey: readFileSync(join(store, "client-id.key")) };
}

async function nothingToRead(name: string): Promise<never> {
  throw new Error(`There is no ${name}.`);
}
