import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runStep } from "./step.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-steps-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const CASES = [
  { name: "passes", program: "console.log('done')", limit: 60_000, passed: true, prints: /^done\n$/ },
  { name: "fails", program: "process.exit(3)", limit: 60_000, passed: false, prints: /Mem:/ },
  {
    name: "waits for ever",
    program: "setInterval(() => undefined, 1e9)",
    limit: 1_000,
    passed: false,
    prints: /did not end within .*alive: .*timer/s,
  },
  {
    name: "computes for ever",
    program: "(function turning() { for (;;); })()",
    limit: 3_000,
    passed: false,
    // Whatever it is called by, and what looks at it calls.
    prints: /did not end within .*computes: \n(?: +at [^\n]*\n)* +at turning/s,
  },
];

test.for(CASES)("a step that $name", async ({ name, program, limit, passed, prints }) => {
  const output = join(folder, name);
  const result = await runStep({ command: [process.execPath, "-e", program], output, limit });
  expect(result.passed).toBe(passed);
  expect(readFileSync(output, "utf8")).toMatch(prints);
});
