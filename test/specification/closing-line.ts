import { readFileSync } from "node:fs";
import { readResults } from "./results.ts";

/** `N passed, N failed` over every step of `.ci/run` and every test of vitest's reports. Arguments: the steps' file, then the reports. */
const REASON_LINES = 12;
const REASON_WIDTH = 400;

const [steps = "", ...reports] = process.argv.slice(2);

const tests = reports.flatMap(readTests);
const outcomes = readFileSync(steps, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => line.split("\t") as [string, string]);
for (const [outcome, name] of outcomes) if (outcome !== "passed") console.log(`failed: ${name}`);
// With the reasons, as the step's own output is far above.
for (const { title, passed, messages } of tests) {
  if (!passed) console.log(`failed: ${title}${messages.map(beginning).join("")}`);
}

const all = [...tests.map(({ passed }) => passed), ...outcomes.map(([outcome]) => outcome === "passed")];
const failed = all.filter((passed) => !passed).length;
console.log(`${all.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** The first lines of a message, indented. */
function beginning(message: string): string {
  return message
    .split("\n")
    .slice(0, REASON_LINES)
    .map((line) => `\n    ${line.slice(0, REASON_WIDTH)}`)
    .join("");
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
