import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openSecrets } from "../../infra/node/secrets.ts";
import { type RunningServer, startServer } from "../../infra/node/server.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { freePort } from "../support/free-port.ts";

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly soid: string;
  readonly requestId?: string;
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
  return { url: running.url, lines: () => written.map((line) => JSON.parse(line) as LogLine) };
}
