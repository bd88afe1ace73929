import { deepStrictEqual, ok } from "node:assert/strict";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Check } from "../check.ts";
import { runProgram } from "../program.ts";
import { isKnown, KNOWN_FAILURES } from "./known-failures.ts";

const SCRIPT = "@modelcontextprotocol/conformance/dist/index.js";

/** Sets of scenarios that a revision requires, with the least number of their checks that have to pass. */
const REVISIONS = [
  ["2025-11-25", 35],
  ["2026-07-28", 85],
] as const;

/** One check of a scenario as the suite writes it down. */
export interface Outcome {
  /** `scenario/check`. */
  readonly name: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly message: string | undefined;
}

/** The conformance suite of the protocol's makers against a gateway that serves nothing but its own tools. */
export function conformanceChecks(mcpURL: string, home: string): readonly Check[] {
  const failed = new Set<string>();
  const revisions = REVISIONS.map(([revision, least]) => ({
    name: `conformance with ${revision}: nothing fails but what is known to`,
    run: async () => {
      const outcomes = await runScenarios(mcpURL, revision, home);
      const failures = outcomes.filter(({ status }) => status === "FAILURE");
      for (const { name } of failures) failed.add(name);
      const unforeseen = failures.filter(({ name }) => !isKnown(name));
      deepStrictEqual(unforeseen, []);
      const passed = outcomes.filter(({ status }) => status === "SUCCESS").length;
      ok(passed >= least, `only ${passed} checks passed`);
      console.log(`        ${passed} checks passed, ${failures.length} known failures`);
    },
  }));
  const stale: Check = {
    name: "conformance: whatever is known to fail still does",
    run: async () => {
      const passing = KNOWN_FAILURES.flatMap(({ names }) => names).filter(
        (known) => ![...failed].some((name) => isKnown(name, [known])),
      );
      deepStrictEqual(passing, [], "to be taken out of known-failures.ts");
    },
  };
  return [...revisions, stale];
}

/** Runs exactly what the revision requires; results are read from the files that the suite leaves. */
export function runScenarios(mcpURL: string, revision: string, home: string): Promise<readonly Outcome[]> {
  return runSuite(mcpURL, ["--requirements", revision], home);
}

/** @param selection options of the suite that say which scenarios run */
export async function runSuite(
  mcpURL: string,
  selection: readonly string[],
  home: string,
): Promise<readonly Outcome[]> {
  const folder = await mkdtemp(join(home, "conformance-"));
  const { stdout, stderr } = await runProgram(SCRIPT, ["server", "--url", mcpURL, ...selection, "-o", folder], {
    home,
  });
  const scenarios = await readdir(folder);
  ok(scenarios.length > 0, `no scenario ran:\n${stdout}\n${stderr}`);
  return (await Promise.all(scenarios.map((scenario) => readOutcomes(folder, scenario)))).flat();
}

async function readOutcomes(folder: string, scenario: string): Promise<readonly Outcome[]> {
  // server-NAME-TIME, where the time is as ISO 8601 writes it, with hyphens for what a file's name cannot have.
  const name = scenario.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, "");
  const file = join(folder, scenario, "checks.json");
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause;
    return undefined;
  });
  if (text === undefined) return [{ name: `${name}/ended`, status: "FAILURE", message: "The scenario did not end." }];
  const checks = JSON.parse(text) as readonly {
    readonly id: string;
    readonly status: Outcome["status"];
    readonly errorMessage?: string;
  }[];
  return checks.map(({ id, status, errorMessage }) => ({ name: `${name}/${id}`, status, message: errorMessage }));
}
