import { type Judgement, judge, type Verdict } from "./judge.ts";
import { RUNTIMES, readResults } from "./results.ts";
import { rows } from "./rows.ts";
import { SENTENCES } from "./sentences.ts";

/**
 * Prints row → test → result per runtime from vitest's JSON reports (arguments), then every deviation with its reason, then
 * how many rows hold and how many deviate. Exit code 1 when a row has no test, or a test of a row failed or did not run.
 */
const reports = process.argv.slice(2);
if (reports.length === 0) throw new Error("Name at least one JSON report of vitest.");

const results = readResults(reports);
const judgements = rows.map((row) => judge(row, results));
for (const judgement of judgements) print(judgement);
const of = (verdict: Verdict) => judgements.filter((judgement) => judgement.verdict === verdict);
const [held, deviating, broken] = [of("passed"), of("deviates"), [...of("failed"), ...of("missing")]];

console.log("\nWhere the product deviates from the specification:");
for (const { row } of deviating) explain(row);
const withRow = SENTENCES.filter(({ none }) => none === undefined).length;
console.log(
  `Sentences: ${SENTENCES.length}, of which ${withRow} have rows and ${SENTENCES.length - withRow} say why they need none.`,
);
console.log(
  `Specification: ${held.length} of ${rows.length} rows hold, ${deviating.length} deviate for a named reason, ${broken.length} failed or have no test.`,
);
process.exitCode = broken.length === 0 ? 0 : 1;

function print({ row, places }: Judgement): void {
  console.log(`${row.id}: ${row.statement}`);
  console.log(`    → ${[...row.tests, ...(row.also ?? [])].map((test) => JSON.stringify(test)).join(", ")}`);
  console.log(`    → ${places.map(({ place, verdict, tests }) => `${place} ${verdict} (${tests})`).join("   ")}`);
}

/** A reason that several runtimes share is told once. */
function explain({ id, deviations = {} }: Judgement["row"]): void {
  const reasons = new Set(RUNTIMES.flatMap((runtime) => deviations[runtime]?.because ?? []));
  for (const reason of reasons) {
    const where = RUNTIMES.filter((runtime) => deviations[runtime]?.because === reason);
    console.log(`${id}, on ${where.join(", ")}: ${reason}`);
  }
}
