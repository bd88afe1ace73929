import { type Judgement, judge } from "./judge.ts";
import { readResults } from "./results.ts";
import { rows } from "./rows.ts";

/**
 * Prints row → test → result per runtime from vitest's JSON reports (arguments), then how many rows hold. Exit code 1
 * when a row has no test, or a test of a row failed or did not run.
 */
const reports = process.argv.slice(2);
if (reports.length === 0) throw new Error("Name at least one JSON report of vitest.");

const results = readResults(reports);
const judgements = rows.map((row) => judge(row, results));
for (const judgement of judgements) print(judgement);
const held = judgements.filter(({ places }) => places.every(({ verdict }) => verdict === "passed")).length;
console.log(`Specification: ${held} of ${rows.length} rows hold.`);
process.exitCode = held === rows.length ? 0 : 1;

function print({ row, places }: Judgement): void {
  console.log(`${row.id}: ${row.statement}`);
  console.log(`    → ${row.tests.map((test) => JSON.stringify(test)).join(", ")}`);
  console.log(`    → ${places.map(({ place, verdict, tests }) => `${place} ${verdict} (${tests})`).join("   ")}`);
}
