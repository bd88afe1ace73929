import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../infra/node/commands/test-policy.ts";

const EXAMPLES = join(import.meta.dirname, "../../examples/policies");
const folder = mkdtempSync(join(tmpdir(), "countersign-cases-"));

async function tested(config: string, cases: string, ...more: readonly string[]) {
  const written: string[] = [];
  const io = { stdout: (text: string) => void written.push(text), stderr: () => undefined, environment: {} };
  const code = await run(["-config", config, "-cases", cases, ...more], io);
  return { code, stdout: written.join("") };
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe("the examples decide alike, by the same cases", () => {
  let point: ChildProcess;
  let pdp = "";
  beforeAll(async () => {
    point = spawn(process.execPath, [join(EXAMPLES, "decision-point.ts")], {
      env: { PORT: "0", PATH: process.env.PATH },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(createInterface(point.stdout as Readable), "line")) as [string];
    pdp = /http:\S+/.exec(line)?.[0] ?? "";
  });
  afterAll(async () => {
    point.kill();
    if (point.exitCode === null && point.signalCode === null) await once(point, "exit");
  });

  test.each(["cel", "rego", "authzen"])("%s", async (engine) => {
    const text = readFileSync(join(EXAMPLES, `${engine}.yaml`), "utf8")
      .replace("http://127.0.0.1:8282", pdp)
      .replaceAll("file://openapi.yaml", `file://${EXAMPLES}/openapi.yaml`)
      .replace("mapping: full", "mapping: full\n          timeout: 60s")
      .replace("plan: ", `plan: ${EXAMPLES}/`)
      .replace("data: ", `data: ${EXAMPLES}/`);
    const { code, stdout } = await tested(write(`${engine}.yaml`, text), join(EXAMPLES, "cases.yaml"));
    expect(stdout.split("\n").filter((line) => line.startsWith("FAIL"))).toEqual([]);
    expect([code, stdout.split("\n").at(-2)]).toEqual([0, "10 cases: 10 as expected, 0 not"]);
  });
});

const CONFIG = join(EXAMPLES, "cel.yaml");

test("a decision that is another than the expected one is told with its reason, and the exit code is 1", async () => {
  const cases = write(
    "wrong.yaml",
    "cases:\n  - {name: a reader pays, tool: payments_createPayment, claims: {sub: ada, client_id: desk, roles: []}, expect: allowed}\n  - {name: nobody, tool: payments_refund, claims: {client_id: desk}, expect: denied, step: policy}\n",
  );
  const { code, stdout } = await tested(CONFIG, cases);
  expect([code, stdout.split("\n")]).toEqual([
    1,
    [
      expect.stringMatching(/^FAIL {2}a reader pays: expected allowed, found denied \(policy: /),
      expect.stringMatching(
        /^FAIL {2}nobody: expected denied by policy, found denied by tool \(tool: there is no tool/,
      ),
      "2 cases: 0 as expected, 2 not",
      "",
    ],
  ]);
  const { results } = JSON.parse((await tested(CONFIG, cases, "-json")).stdout);
  expect(results).toMatchObject([{ name: "a reader pays", passed: false, expected: "allowed", found: "denied" }, {}]);
});

test.each([
  ["an unknown key", "cases: [{name: a, tool: b, expects: allowed, expect: allowed}]", /1:28: .*did you mean "expect"/],
  ["a wrong word", "cases: [{name: a, tool: b, expect: yes}]", /accepted: allowed or denied/],
  ["no subject", "cases: [{name: a, expect: allowed}]", /needs one of tool and app/],
  ["a key of the other kind", "cases: [{name: a, tool: b, host: c, expect: allowed}]", /host goes with app alone/],
  ["a web app without path", "cases: [{name: a, app: b, expect: allowed}]", /needs a path/],
  ["no case", "cases: []", /at least one case/],
])("a file with %s is refused at its line", async (_, text, message) => {
  await expect(tested(CONFIG, write("bad.yaml", text))).rejects.toThrow(message);
});
