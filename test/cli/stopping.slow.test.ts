import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compiledOnce } from "../support/shared-run/variables.ts";
import { createWorkplace, type Workplace } from "./countersign.ts";
import { createClient, isActive, type LoadClient, present, sign } from "./token-load.ts";

const CLI = join(import.meta.dirname, "../../infra/node/cli.ts");
/**
 * In the process of the server: an error that nobody catches, of the kind in SVC_TEST_CRASH, on SIGUSR2 or, as `start`,
 * while it starts.
 */
const CRASH = `
const fail = () => { throw new Error("nobody caught this"); };
process.on("SIGUSR2", () => {
  if (process.env.SVC_TEST_CRASH === "rejection") Promise.reject(new Error("nobody caught this"));
  else setImmediate(fail);
});
if (process.env.SVC_TEST_CRASH === "start") {
  process.on("newListener", (event) => event === "uncaughtException" && process.nextTick(fail));
}`;

let at: Workplace;
const children: ChildProcess[] = [];

beforeEach(async () => {
  at = await createWorkplace();
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  at.remove();
});

describe.each(["SIGTERM", "SIGINT"] as const)("on %s", (signal) => {
  test("a request in flight is answered, no other is taken, and the process ends with 0", async () => {
    const server = await serve();
    const request = await halfARequest();
    const idle = await connected();
    server.child.kill(signal);
    await server.logged("stopping");
    await expect.poll(refusesConnections, { timeout: 20_000 }).toBe(true);
    request.write("_type=client_credentials");
    const answer = await text(request);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toContain("invalid_request");
    await server.ended;
    expect(server.child.exitCode).toBe(0);
    expect(server.lines().at(-1)).toContain("stopped");
    idle.destroy();
  });

  test("another signal ends it at once, with the shell's code for it", async () => {
    const server = await serve();
    const request = await halfARequest();
    server.child.kill(signal);
    await server.logged("stopping");
    server.child.kill(signal);
    await server.ended;
    expect(server.child.exitCode).toBe(signal === "SIGINT" ? 130 : 143);
    request.destroy();
  });
});

test("every token that was acknowledged while the server stopped is in the store, which was left closed", async () => {
  const server = await serve();
  const client = await createClient(at, "agent");
  const issued: string[] = [];
  const workers = Array.from({ length: 6 }, () => askWhileItLasts(client, issued));
  await expect.poll(() => issued.length, { timeout: 20_000 }).toBeGreaterThan(20);
  server.child.kill("SIGTERM");
  await Promise.all([...workers, server.ended]);
  expect(server.child.exitCode).toBe(0);

  // A closed database leaves no write-ahead log behind.
  expect(existsSync(join(at.store, "countersign.db-wal"))).toBe(false);
  const database = new DatabaseSync(join(at.store, "countersign.db"), { readOnly: true });
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  database.close();

  await serve();
  expect(await Promise.all(issued.map((token) => isActive(at, token)))).toEqual(issued.map(() => true));
});

describe.each(["rejection", "exception"])("a %s that nobody caught", (kind) => {
  test("is one error entry with its stack; requests in flight are answered, and the process ends with 1", async () => {
    const server = await serve({ SVC_TEST_CRASH: kind });
    const request = await halfARequest();
    server.child.kill("SIGUSR2");
    await server.logged("stopping");
    request.write("_type=client_credentials");
    expect(await text(request)).toMatch(/^HTTP\/1\.1 400 /);
    await server.ended;
    expect(server.child.exitCode).toBe(1);
    const errors = server.lines().filter((line) => line.includes("ERROR"));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/an error that nobody caught ends the server .*Error: nobody caught this.* at /);
  });

  test("ends the process at once when it is the second", async () => {
    const server = await serve({ SVC_TEST_CRASH: kind });
    const request = await halfARequest();
    server.child.kill("SIGUSR2");
    await server.logged("stopping");
    server.child.kill("SIGUSR2");
    await server.ended;
    expect(server.child.exitCode).toBe(1);
    expect(server.lines().filter((line) => line.includes("nobody caught this"))).toHaveLength(2);
    request.destroy();
  });
});

test("an error that nobody caught while the server starts ends it with 1 and its stack", async () => {
  const server = spawnServer({ SVC_TEST_CRASH: "start" });
  await server.ended;
  expect(server.child.exitCode).toBe(1);
  expect(server.lines().join("\n")).toMatch(/^Error: nobody caught this\n +at /m);
});

/** The server as the command line starts it, when it listens. */
async function serve(variables: Readonly<Record<string, string>> = {}) {
  const server = spawnServer(variables);
  await server.logged("listening");
  return server;
}

function spawnServer(variables: Readonly<Record<string, string>>) {
  const hook = `data:text/javascript,${encodeURIComponent(CRASH)}`;
  const child = spawn(process.execPath, ["--import", hook, CLI, "-config", at.config], {
    env: { PATH: process.env.PATH, ...compiledOnce(), ...variables },
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.push(child);
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const logged = (message: string) => expect.poll(() => stderr, { timeout: 25_000 }).toContain(message);
  return { child, ended: once(child, "close"), lines: () => stderr.trimEnd().split("\n"), logged };
}

/** A token request without the end of its body, which the server has begun to read. */
async function halfARequest() {
  const socket = await connected();
  const body = "grant_type=client_credentials";
  const headers = `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n`;
  socket.write(`POST /oauth2/token HTTP/1.1\r\nHost: x\r\n${headers}Expect: 100-continue\r\n\r\n`);
  await once(socket, "data");
  socket.write(body.slice(0, "grant".length));
  return socket;
}

async function connected() {
  const { hostname, port } = new URL(at.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.on("error", () => socket.destroy());
  return socket;
}

async function refusesConnections(): Promise<boolean> {
  const socket = await connected().catch(() => undefined);
  socket?.destroy();
  return socket === undefined;
}

async function askWhileItLasts(client: LoadClient, issued: string[]): Promise<void> {
  for (;;) {
    const response = await present(at, await sign(at, client)).catch(() => undefined);
    if (response === undefined) return;
    const answer = await response.json().catch(() => undefined);
    if (answer === undefined) return;
    expect(response.status).toBe(200);
    issued.push((answer as { access_token: string }).access_token);
  }
}
