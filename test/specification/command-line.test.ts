import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { compiledOnce } from "../support/shared-run/variables.ts";

const cli = fileURLToPath(new URL("../../infra/node/cli.ts", import.meta.url));
const edgeBuild = fileURLToPath(new URL("../../infra/build/configuration.ts", import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-command-line-"));
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ["-verbose", ["-verbose"], {}],
  ["SVC_DEBUG_MODE=true", [], { SVC_DEBUG_MODE: "true" }],
])("%s logs at debug level, whatever the document says", async (name, flags, variables) => {
  const port = await freePort();
  const file = join(folder, `${name}.yaml`);
  const document = {
    version: "1",
    logger: { level: "error", jsonOutput: true },
    http: { address: `127.0.0.1:${port}`, accessLog: { level: "debug" } },
    store: { path: join(folder, name) },
  };
  await writeFile(file, JSON.stringify(document));
  const server = start(["-config", file, ...flags], variables);
  const url = `http://127.0.0.1:${port}/status`;
  const answers = () =>
    fetch(url).then(
      (response) => response.ok,
      () => false,
    );
  await expect.poll(answers, { timeout: 20_000 }).toBe(true);
  await expect.poll(server.stderr).toContain('"level":"debug"');
  server.child.kill("SIGTERM");
  expect((await server.ended).code).toBe(0);
});

test.each([
  [
    "that does not exist",
    "missing.yaml",
    /^[^\n]* ERROR the server cannot start [^\n]*\n[^\n]*cannot be read[^\n]*\n$/,
  ],
  [
    "that is a folder without files",
    "empty",
    /^[^\n]* ERROR the server cannot start [^\n]*\n[^\n]*found a folder without files; accepted: [^\n]*\n$/,
  ],
])("a configuration %s cannot be read: the start ends with 3, a log entry and one line", async (_, file, said) => {
  await mkdir(join(folder, "empty"), { recursive: true });
  const { code, stderr } = await start(["-config", file]).ended;
  expect(code).toBe(3);
  expect(stderr).toMatch(said);
  expect(stderr).toContain(file);
});

test.each([
  ["invalid YAML", 'version: "1"\nhttp: [\n', /^\S+:2:7: invalid YAML[^\n]*\n$/],
  ["a document without its version", "http: {}\n", /^\S+:1:1: version: [^\n]*\n$/],
  ["no file", undefined, /^\S+: cannot be read[^\n]*\n$/],
])("the build for Workers and Lambda refuses %s with a line that tells the cause", async (name, text, line) => {
  const file = join(folder, `${name}.yaml`.replaceAll(" ", "-"));
  if (text !== undefined) await writeFile(file, text);
  const { code, stderr } = await start([], { COUNTERSIGN_EDGE_CONFIG: file }, edgeBuild).ended;
  expect([code, stderr]).toEqual([1, expect.stringMatching(line)]);
});

function start(args: readonly string[], variables: Readonly<Record<string, string>> = {}, program = cli) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...compiledOnce(), ...variables },
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, stderr })),
  );
  return { child, ended, stderr: () => stderr };
}
