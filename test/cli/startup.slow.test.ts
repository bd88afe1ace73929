import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAuthority } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { commandFile } from "../support/shared-run/command.ts";
import { compiledOnce } from "../support/shared-run/variables.ts";

const CLI = await commandFile();
const STORE = 'version: "1"\nstore: {path: data}\n';
const HTTP = `${STORE}http: {address: "{{ env.ADDRESS }}"}\n`;
const STREAM = `${STORE}mcpProvider: {enabled: true, transports: {stream: `;
const GOOD = ["-config", "good.yaml"];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-startup-"));
  const { cert, key } = createAuthority().issue();
  put("good.crt", cert);
  put("good.key", key);
  put("other.key", createAuthority().issue().key);
  put("empty.pem", "");
  mkdirSync(join(folder, "a-folder"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("startup fails with exit 3, one log entry and one line that tells the cause when", () => {
  test.each<[string, string, RegExp]>([
    ["the YAML is invalid", 'version: "1"\nhttp: {address: ]\n', /^c\.yaml:2:\d+: /],
    ["the required version is missing", "logger: {level: info}\n", /^c\.yaml:1:1: version: required/],
    ["a required field is missing", `${STREAM}{enabled: true}}}\n`, /^c\.yaml:\d+:\d+: \S+stream\.path: required/],
    ["a variable is not set", 'version: "1"\nstore: {path: "{{ env.NOT_SET }}"}\n', /NOT_SET is not set/],
    ["a secret has no provider", 'version: "1"\nconsole: {setupToken: <a.b>}\n', /<a\.b> needs a secret provider/],
    ["an OpenAPI document cannot be read", api("file://gone.json"), /^c\.yaml:\d+:\d+: .*cannot be read: no such file/],
    ["an OpenAPI document is a folder", api("file://a-folder"), /^c\.yaml:\d+:\d+: .*cannot be read: it is a folder/],
    [
      "the store's path is a file",
      'version: "1"\nstore: {path: good.crt}\n',
      /^Cannot open the store in \S*good\.crt: /,
    ],
    [
      "a certificate is not there",
      tls("gone.crt", "good.key"),
      /^tls\.main\.certFile: \S*gone\.crt cannot be read: no/,
    ],
    [
      "a certificate is a folder",
      tls("a-folder", "good.key"),
      /^tls\.main\.certFile: .*cannot be read: it is a folder/,
    ],
    ["a key is empty", tls("good.crt", "empty.pem"), /^tls\.main\.keyFile: \S*empty\.pem cannot be read: it is empty/],
    ["a key is for something else", tls("good.crt", "other.key"), /^tls\.main\.keyFile: \S*other\.key does not belong/],
    [
      "an authority of connections is not there",
      `${STORE}tls: {main: {caFile: gone.pem}}\n`,
      /^tls\.main\.caFile: \S*gone\.pem/,
    ],
  ])("%s", async (_, yaml, cause) => {
    put("c.yaml", yaml);
    expectFailure(await run(["-config", "c.yaml"]), cause);
  });

  test("the listening port is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { readonly port: number };
    put("c.yaml", `${STORE}http: {address: "127.0.0.1:${port}"}\n`);
    const outcome = await run(["-config", "c.yaml"]);
    taken.close();
    expectFailure(outcome, new RegExp(`^Cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use`));
  });

  test.each([
    ["there is no configuration", [], {}, /^No configuration: .* -config FILE .* SVC_CONFIG/],
    ["the configuration is not there", ["-config", "gone.yaml"], {}, /^gone\.yaml:1:1: cannot be read: no such file/],
    [
      "the configuration is a folder without files",
      ["-config", "a-folder"],
      {},
      /^a-folder:1:1: found a folder without files/,
    ],
    ["-config has no value", ["-config"], {}, /^.*-config.*; accepted: -config, /],
    [
      "the flag names nothing, whatever the variable names",
      ["-config", "gone.yaml"],
      { SVC_CONFIG: "a-folder" },
      /^gone/,
    ],
    [
      "two secret providers are named",
      [...GOOD, "-secretProvider", "env://A_"],
      { SVC_SECRET_PROVIDER: "env://B_" },
      /different secret providers/,
    ],
    [
      "the secret provider is unknown",
      [...GOOD, "-secretProvider", "nobody://x?token=hunter2"],
      {},
      /^The secret provider nobody is unknown/,
    ],
    [
      "the secret file is not there",
      [...GOOD, "-secretProvider", "secretfile:///gone.yaml"],
      {},
      /gone\.yaml.*no such file/,
    ],
    [
      "SVC_DEBUG_MODE is neither true nor false",
      GOOD,
      { SVC_DEBUG_MODE: "1" },
      /^SVC_DEBUG_MODE: found "1"; accepted: true, false\.$/m,
    ],
    [
      "a proxy of the environment is no URL",
      GOOD,
      { HTTPS_PROXY: "socks5://user:hunter2@x" },
      /^HTTPS_PROXY is not the URL of a proxy/,
    ],
  ] as const)("%s", async (_, args, variables, cause) => {
    put("good.yaml", STORE);
    const outcome = await run(args, variables);
    expectFailure(outcome, cause);
    expect(outcome.stderr).not.toContain("hunter2");
  });
});

test.each([
  ["a mistake in the document", "http: {address: 5}"],
  ["a variable that is not set", 'store: {path: "{{ env.NOT_SET }}"}'],
  ["a store that cannot be opened", "store: {path: good.crt}"],
])("54. with jsonOutput, also by a variable, %s is one JSON entry with soid", async (_, yaml) => {
  put("c.yaml", `version: "1"\nlogger: {jsonOutput: "{{ env.JSON }}"}\n${yaml}\n`);
  const { code, stderr } = await run(["-config", "c.yaml"], { JSON: "true" });
  const [entry = "", line] = stderr.trimEnd().split("\n");
  expect(code).toBe(3);
  expect(JSON.parse(entry)).toMatchObject({
    level: "error",
    msg: "the server cannot start",
    cause: line,
    soid: expect.stringMatching(/^[\da-f-]{36}$/),
  });
});

describe("startup goes on, with a warning in the log, when", () => {
  test("a certificate has expired", async () => {
    const hour = 3_600_000;
    const lifetime = { notBefore: new Date(Date.now() - 2 * hour), notAfter: new Date(Date.now() - hour) };
    const { cert, key } = createAuthority().issue(lifetime);
    put("old.crt", cert);
    put("old.key", key);
    expect(await logOfStart(tls("old.crt", "old.key"))).toMatch(/WARN +the TLS certificate has expired .*old\.crt/);
  });

  test("NODE_EXTRA_CA_CERTS names a file that is not there", async () => {
    const log = await logOfStart(HTTP, { NODE_EXTRA_CA_CERTS: "gone.pem" });
    expect(log).toMatch(/WARN +extra certificate authorities are not trusted .*gone\.pem cannot be read: no such file/);
  });
});

test("-version needs no configuration, and reads none", async () => {
  const { code, stdout } = await run(["-version", "-config", "gone.yaml"], { SVC_CONFIG: "gone.yaml" });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^countersign \d+\.\d+\.\d+\n$/) });
});

test("the same secret provider may be named by flag and variable", async () => {
  const args = ["-secretProvider", "env://A_"];
  expect(await logOfStart(HTTP, { SVC_SECRET_PROVIDER: "env://A_" }, args)).toContain("listening");
});

test.each(["false"])("SVC_DEBUG_MODE=%s leaves the level as it is", async (value) => {
  const quiet = `${HTTP}logger: {level: error}\n`;
  expect(await logOfStart(quiet, { SVC_DEBUG_MODE: value })).toBe("");
});

function tls(certFile: string, keyFile: string): string {
  const main = `{certFile: ${certFile}, keyFile: ${keyFile}}`;
  return `${STORE}http: {address: "{{ env.ADDRESS }}", tls: main}\ntls: {main: ${main}}\n`;
}

function api(uri: string): string {
  return `${STORE}apps: [{name: things, type: mcpBridge, openapi: {spec: {uri: "${uri}"}}}]\n`;
}

function put(name: string, content: string): void {
  writeFileSync(join(folder, name), content);
}

/** What a person reads: after the entry of the log, unless it is the command line that was wrong. */
function expectFailure({ code, stdout, stderr }: Awaited<ReturnType<typeof run>>, cause: RegExp): void {
  const lines = stderr.trimEnd().split("\n");
  expect(lines.at(-1)).toMatch(cause);
  expect({ code, stdout, lines: lines.length }).toMatchObject({ code: lines.length > 1 ? 3 : 2, stdout: "" });
  if (lines.length > 1)
    expect(lines).toEqual([expect.stringMatching(/ ERROR the server cannot start .*soid=/), lines[1]]);
}

async function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const { child, ended } = start(args, { ADDRESS: `127.0.0.1:${await freePort()}`, ...variables });
  // One that starts after all must not go on for ever.
  const overdue = setTimeout(() => child.kill("SIGKILL"), 25_000);
  const outcome = await ended;
  clearTimeout(overdue);
  return outcome;
}

/** What a server logs until it is told to stop, as soon as it listens. */
async function logOfStart(
  yaml: string,
  variables: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<string> {
  put("start.yaml", yaml);
  const port = await freePort();
  const { child, ended } = start(["-config", "start.yaml", ...args], { ADDRESS: `127.0.0.1:${port}`, ...variables });
  await expect.poll(() => listens(port), { timeout: 25_000 }).toBe(true);
  child.kill("SIGTERM");
  const { code, stderr } = await ended;
  expect(code).toBe(0);
  return stderr;
}

function start(args: readonly string[], variables: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...compiledOnce(), ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code: code as number | null, stdout, stderr }),
  );
  return { child, ended };
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
