import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openSecrets } from "../../infra/node/secrets.ts";
import { type RunningServer, startServer } from "../../infra/node/server.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { VERSION } from "../../lib/kernel/version.ts";
import { freePort } from "../support/free-port.ts";

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly soid: string;
  readonly requestId?: string;
  readonly [field: string]: unknown;
}

let folder: string;
let running: RunningServer | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-operation-"));
});
afterEach(async () => {
  await running?.stop();
});
afterAll(() => rm(folder, { recursive: true }));

test("health is where health.location says, and nowhere else", async () => {
  const { url } = await start({ health: { location: "/healthz" } });
  const response = await fetch(`${url}/healthz`);
  expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: { status: "up" } });
  expect((await fetch(`${url}/status`)).status).toBe(404);
});

test("every log entry of a request carries the request's own id", async () => {
  const { url, lines } = await start({ logger: { level: "debug" }, oidcProvider: { region: "us" } });
  const before = lines().length;
  const responses = await Promise.all([fetch(`${url}/status`), fetch(`${url}/oauth2/token`, { method: "POST" })]);
  const ids = responses.map((response) => response.headers.get("X-Request-Id"));
  expect(new Set(ids).size).toBe(2);
  await expect
    .poll(() =>
      lines()
        .slice(before)
        .filter(({ msg }) => msg === "request"),
    )
    .toHaveLength(2);
  const entries = lines().slice(before);
  expect(new Set(entries.map(({ requestId }) => requestId))).toEqual(new Set(ids));
  expect(new Set(entries.map(({ soid }) => soid)).size).toBe(1);
});

test.each(["debug", "warn"])("the access log has the configured level, %s", async (level) => {
  const { url, lines } = await start({ logger: { level: "debug" }, http: { accessLog: { level } } });
  await fetch(`${url}/status`);
  await expect.poll(() => lines().filter(({ msg }) => msg === "request")).toMatchObject([{ level }]);
});

test("the heartbeat has the configured level and interval, and its fields", async () => {
  const { lines } = await start({ health: { heartbeat: { interval: "20ms", logLevel: "warn" } } });
  const beats = () => lines().filter(({ msg }) => msg === "heartbeat");
  await expect.poll(() => beats().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
  const measured = ["cpu_count", "cpu_usage", "total_memory", "memory_usage", "active_goroutines"];
  for (const beat of beats()) {
    expect(beat).toMatchObject({ level: "warn", orchestrator_version: VERSION, config_version: "1" });
    expect(beat.soid).not.toBe("");
    for (const field of measured) expect(beat).toHaveProperty(field, expect.any(Number));
  }
});

test("a disabled heartbeat is not in the log, although the first is due at the start", async () => {
  const { lines } = await start({ health: { heartbeat: { disabled: true } } });
  await running?.stop();
  expect(lines().map(({ msg }) => msg)).toContain("stopped");
  expect(lines().filter(({ msg }) => msg === "heartbeat")).toEqual([]);
});

test("the format of times, the order of fields and the session are as the document says", async () => {
  const headers = { Cookie: "__Host-countersign=the-session" };
  const first = await start({});
  await fetch(`${first.url}/status`, { headers });
  await running?.stop();
  const plain = first.lines().find(({ msg }) => msg === "request");
  expect(plain).toMatchObject({ time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/) });
  expect(plain).not.toHaveProperty("sessionId");

  const logger = { timeFormat: "UnixMilli", logSessionID: true, fieldOrdering: { enabled: true } };
  const second = await start({ logger });
  await fetch(`${second.url}/status`, { headers });
  await running?.stop();
  const request = second.lines().find(({ msg }) => msg === "request");
  expect(request).toMatchObject({ time: expect.any(Number), sessionId: expect.stringMatching(/^[\w-]{16}$/) });
  const [leading, others] = [Object.keys(request ?? {}).slice(0, 6), Object.keys(request ?? {}).slice(6)];
  expect(leading).toEqual(["time", "level", "msg", "soid", "requestId", "sessionId"]);
  expect(others).toEqual([...others].sort());
});

test("without jsonOutput an entry is a line of text", async () => {
  const { text } = await start({ logger: { jsonOutput: false } });
  await running?.stop();
  expect(text().length).toBeGreaterThan(0);
  for (const line of text()) expect(line).toMatch(/^\S+Z (INFO|WARN) +.* soid=\S+$/);
});

test("the access log can be disabled", async () => {
  const { url, lines } = await start({ logger: { level: "debug" }, http: { accessLog: { disabled: true } } });
  await fetch(`${url}/status`);
  // Once the server has stopped, nothing of the request is still to come.
  await running?.stop();
  expect(lines().map(({ msg }) => msg)).toContain("stopped");
  expect(lines().filter(({ msg }) => msg === "request")).toEqual([]);
});

type Section = Readonly<Record<string, unknown>>;

async function start(sections: {
  readonly http?: Section;
  readonly logger?: Section;
  readonly [key: string]: unknown;
}) {
  const port = await freePort();
  const document = {
    version: "1",
    store: { path: join(folder, String(port)) },
    ...sections,
    http: { address: `127.0.0.1:${port}`, ...sections.http },
    logger: { jsonOutput: true, ...sections.logger },
  };
  const compiled = await compileConfiguration(JSON.stringify(document), {
    file: "operation.yaml",
    readDocument: (uri) => Promise.reject(new Error(`${uri} is not read here`)),
  });
  if ("errors" in compiled) throw new Error(JSON.stringify(compiled.errors));
  const written: string[] = [];
  running = await startServer({
    artifact: compiled.artifact,
    environment: {},
    secrets: await openSecrets(undefined, {}),
    verbose: false,
    write: (line) => written.push(line),
  });
  return {
    url: running.url,
    text: () => written,
    lines: () => written.map((line) => JSON.parse(line) as LogLine),
  };
}
