import type { TestResult } from "../../specification/results.ts";
import { ABSENCES, ENGINES, type Engine, REQUIRED, SUITES } from "./required.ts";

export type Cell = "passed" | "failed" | "absent" | "-";

/** One test of a suite, on each engine. `-`: absent for a stated reason. */
export interface Case {
  readonly suite: string;
  readonly title: string;
  readonly cells: Readonly<Record<Engine, Cell>>;
}

/** The contract's cases, in the order of the suites. Tests of other places have no engine and no row. */
export function casesIn(results: readonly TestResult[]): readonly Case[] {
  const cases = new Map<string, { suite: string; title: string; passed: Map<Engine, boolean> }>();
  for (const { title: path, passed } of results) {
    const place = placeOf(path);
    if (place === undefined) continue;
    const { suite, engine, title } = place;
    const key = `${suite}\n${title}`;
    const known = cases.get(key) ?? { suite, title, passed: new Map() };
    known.passed.set(engine, passed && (known.passed.get(engine) ?? true));
    cases.set(key, known);
  }
  return [...cases.values()]
    .map(({ suite, title, passed }) => ({ suite, title, cells: cellsOf(suite, title, passed) }))
    .sort((one, other) => orderOf(one.suite) - orderOf(other.suite));
}

/** What is missing or wrong, in sentences; nothing when the contract is kept and complete. */
export function findings(cases: readonly Case[]): readonly string[] {
  const cells = cases.flatMap(({ suite, title, cells: ofCase }) =>
    ENGINES.filter((engine) => ofCase[engine] === "failed" || ofCase[engine] === "absent").map(
      (engine) => `${ofCase[engine]} on ${engine}: ${suite}, ${title}`,
    ),
  );
  const unknown = [...new Set(cases.map(({ suite }) => suite))]
    .filter((suite) => SUITES[suite] === undefined)
    .map((suite) => `no port for the suite ${JSON.stringify(suite)}`);
  const missing = REQUIRED.flatMap(({ name, tests }) =>
    Object.entries(tests).flatMap(([port, titles]) =>
      "none" in titles
        ? []
        : titles
            .filter((start) => !cases.some(({ suite, title }) => SUITES[suite] === port && title.startsWith(start)))
            .map((start) => `no row for ${name}, ${port}: ${start}`),
    ),
  );
  return [...cells, ...unknown, ...missing];
}

/**
 * What a run of the suites says beside its cases: one that ended otherwise than with 0 has failed where no case shows it,
 * in a hook or while a file was loaded.
 *
 * @param exit code, signal or error
 */
export function runFindings(cases: readonly Case[], exit: number | string): readonly string[] {
  const isExplained = cases.some(({ cells }) => Object.values(cells).includes("failed"));
  return exit === 0 || isExplained ? [] : [`the suites ended with ${exit}, and no case failed`];
}

/** From `… > tokens on SQLite > the test's title`: the innermost suite that names an engine. */
function placeOf(
  path: string,
): { readonly suite: string; readonly engine: Engine; readonly title: string } | undefined {
  const parts = path.split(" > ");
  for (let i = parts.length - 2; i >= 0; i--) {
    const [, suite, name] = /^(.+?) on (.+)$/.exec(parts[i] ?? "") ?? [];
    const engine = ENGINES.find((known) => name === known || name?.startsWith(`${known} (`));
    if (suite !== undefined && engine !== undefined) return { suite, engine, title: parts.slice(i + 1).join(" > ") };
  }
  return undefined;
}

function cellsOf(suite: string, title: string, passed: ReadonlyMap<Engine, boolean>): Case["cells"] {
  const cell = (engine: Engine): Cell => {
    const outcome = passed.get(engine);
    if (outcome !== undefined) return outcome ? "passed" : "failed";
    const isStated = ABSENCES.some(
      (absence) =>
        absence.suite === suite &&
        absence.engine === engine &&
        (absence.title === undefined || absence.title === title),
    );
    return isStated ? "-" : "absent";
  };
  return Object.fromEntries(ENGINES.map((engine) => [engine, cell(engine)])) as Case["cells"];
}

function orderOf(suite: string): number {
  return Object.keys(SUITES).indexOf(suite);
}
