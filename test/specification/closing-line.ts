import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { readResults } from "./results.ts";

// `N passed, N failed` over every step of `.ci/run` and every test of vitest's reports, after what failed and why.
// Arguments: the steps' file, the folder of what each printed, then the reports.

const OUTPUT_LINES = 40;
const REASON_LINES = 12;
const WIDTH = 400;

const [steps = "", output = "", ...reports] = process.argv.slice(2);

const tests = reports.flatMap(readTests);
const outcomes = readFileSync(steps, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => line.split("\t") as [string, string]);
// With the reasons, as the steps' own output is far above. A test that did not come to run has none: the end of the output has.
for (const [outcome, name] of outcomes) {
  if (outcome !== "passed") console.log(`failed: ${name}${indented(lastLines(join(output, name)))}`);
}
for (const { title, passed, messages } of tests) {
  if (!passed) console.log(`failed: ${title}${messages.map((message) => indented(firstLines(message))).join("")}`);
}

const all = [...tests.map(({ passed }) => passed), ...outcomes.map(([outcome]) => outcome === "passed")];
const failed = all.filter((passed) => !passed).length;
console.log(`${all.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function lastLines(file: string): readonly string[] {
  return stripVTControlCharacters(readFileSync(file, "utf8"))
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-OUTPUT_LINES);
}

function firstLines(message: string): readonly string[] {
  return stripVTControlCharacters(message).split("\n").slice(0, REASON_LINES);
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `\n    ${line.slice(0, WIDTH)}`).join("");
}

function readTests(report: string) {
  try {
    return readResults([report]);
  } catch (error) {
    // Vitest ended without a report: its step has failed, and this says why nothing was counted.
    console.log(`failed: no test report (${error instanceof Error ? error.message : error})`);
    return [];
  }
}
