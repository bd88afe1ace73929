import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../infra/node/server.ts";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { freePort } from "../support/free-port.ts";

interface Child {
  /** Writes a line to its input. */
  tell(line: string): void;
  /** The next line of its output. */
  line(): Promise<string | undefined>;
  endInput(): void;
}

let folder: string;
const children: ChildProcess[] = [];
const servers: RunningServer[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-locks-"));
});

afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  for (const server of servers.splice(0)) await server.stop();
  rmSync(folder, { recursive: true });
});

test("while another process holds the write lock for a second, health and reads answer, and the write succeeds afterwards", async () => {
  const { url, announced } = await start();
  const json = { "Content-Type": "application/json" };
  const body = JSON.stringify({ token: announced, organization: "Example", email: "owner@example.com" });
  const setUp = await fetch(`${url}/api/v1/setup`, { method: "POST", headers: json, body });
  const Cookie = setUp.headers.getSetCookie()[0]?.split(";")[0] ?? "";

  const holder = await holdWriteLock();
  let settled = false;
  const write = fetch(`${url}/api/v1/api-clients`, {
    method: "POST",
    headers: { ...json, Cookie },
    body: JSON.stringify({ name: "a client" }),
  }).finally(() => {
    settled = true;
  });
  let slowest = 0;
  for (const begin = performance.now(); performance.now() - begin < 1000; ) {
    const before = performance.now();
    expect((await fetch(`${url}/status`)).status).toBe(200);
    expect((await fetch(`${url}/api/v1/me`, { headers: { Cookie } })).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - before);
  }
  expect(settled).toBe(false);
  expect(slowest).toBeLessThan(800);

  holder.endInput();
  const created = await write;
  expect(created.status).toBe(201);
  const { clientId } = (await created.json()) as { clientId: string };
  expect((await fetch(`${url}/api/v1/api-clients/${clientId}`, { headers: { Cookie } })).status).toBe(200);
});

test("six processes open one empty folder at the same time", async () => {
  const openers = Array.from({ length: 6 }, () => run("open-stores.ts"));
  // The first round waits for the processes to load; the others find all of them ready.
  for (let round = 0; round < 12; round++) {
    for (const opener of openers) opener.tell(join(folder, String(round)));
    expect(await Promise.all(openers.map((opener) => opener.line()))).toEqual(openers.map(() => "opened"));
  }
});

test("a store opens once another process gives the write lock back", async () => {
  openSqlite(folder).close();
  const holder = await holdWriteLock();
  const opener = run("open-stores.ts");
  opener.tell(join(folder, "another"));
  expect(await opener.line()).toBe("opened");
  opener.tell(folder);
  let opened: string | undefined;
  const line = opener.line().then((text) => {
    opened = text;
  });
  for (const begin = performance.now(); performance.now() - begin < 1000; ) await setImmediate();
  expect(opened).toBeUndefined();
  holder.endInput();
  await line;
  expect(opened).toBe("opened");
});

/** The server on the folder, and the setup token that it announced. */
async function start(): Promise<{ readonly url: string; readonly announced: string }> {
  const port = await freePort();
  const text = `version: "1"
http: {address: "127.0.0.1:${port}"}
store: {path: ${JSON.stringify(folder)}}
console: {enabled: true}
oidcProvider: {region: us}`;
  const compiled = await compileConfiguration(text, { file: "test.yaml", readDocument: nothingToRead });
  if ("errors" in compiled) throw new Error(compiled.errors.map(({ message }) => message).join("\n"));
  let announced = "";
  const server = await startServer({
    artifact: compiled.artifact,
    environment: {},
    secrets: { get: nothingToRead },
    verbose: false,
    write: () => undefined,
    announceSetupToken: (token) => {
      announced = token;
    },
  });
  servers.push(server);
  return { url: server.url, announced };
}

async function holdWriteLock(): Promise<Child> {
  const holder = run("hold-write-lock.ts", join(folder, "countersign.db"));
  expect(await holder.line()).toBe("held");
  return holder;
}

/** Runs a script of this folder. */
function run(script: string, ...args: string[]): Child {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    tell: (line) => void child.stdin.write(`${line}\n`),
    line: async () => (await lines.next()).value,
    endInput: () => void child.stdin.end(),
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

async function nothingToRead(name: string): Promise<never> {
  throw new Error(`There is no ${name}.`);
}
