import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readResults } from "../specification/results.ts";
import { type Case, casesIn, findings, runFindings } from "./table/cases.ts";
import { ABSENCES, ENGINES, REQUIRED, SUITES } from "./table/required.ts";

/**
 * Prints port and case → result on each engine from vitest's JSON reports (arguments), or runs the contract suites for
 * them. Exit code 1 when a case failed, is absent without a stated reason, or a required one has no row.
 */
const CONFIGURATIONS = ["vitest.config.ts", "vitest.edges.config.ts", "vitest.slow.config.ts"];
const given = process.argv.slice(2);
const runs = given.length === 0 ? CONFIGURATIONS.map(runSuites) : given.map((report) => ({ report, exit: 0 }));
const cases = casesIn(readResults(runs.map(({ report }) => report).filter((report) => existsSync(report))));
console.log(ENGINES.join(" | "));
for (const one of cases) print(one);
for (const { suite, engine, reason } of ABSENCES) console.log(`-: ${suite} on ${engine}: ${reason}`);
for (const { name, tests } of REQUIRED) {
  for (const [port, titles] of Object.entries(tests)) {
    if ("none" in titles) console.log(`-: ${name}, ${port}: ${titles.none}`);
  }
}
const wrong = [...findings(cases), ...runs.flatMap(({ exit }) => runFindings(cases, exit))];
for (const finding of wrong) console.log(finding);
const cells = cases.flatMap((one) => Object.values(one.cells));
const count = (cell: string) => `${cells.filter((other) => other === cell).length} ${cell}`;
console.log(
  `Contract: ${cases.length} cases, ${REQUIRED.length} required kinds, ${ENGINES.length} engines: ` +
    `${count("passed")}, ${count("failed")}, ${count("absent")}; ${wrong.length} findings.`,
);
process.exitCode = wrong.length === 0 && cases.length > 0 ? 0 : 1;

function print({ suite, title, cells: ofCase }: Case): void {
  const row = ENGINES.map((engine) => ofCase[engine].padEnd(engine.length)).join(" | ");
  console.log(`${row} | ${SUITES[suite] ?? "?"} | ${suite}: ${title}`);
}

/** A report of an earlier run is gone before this one. */
function runSuites(configuration: string): { readonly report: string; readonly exit: number | string } {
  const root = join(import.meta.dirname, "../..");
  const report = join(root, `test-results/contract-${configuration}.json`);
  rmSync(report, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const run = spawnSync(process.execPath, [vitest, "run", "--config", configuration, "test/contract", ...reporters], {
    cwd: root,
    stdio: "inherit",
  });
  return { report, exit: run.status ?? run.signal ?? String(run.error) };
}
