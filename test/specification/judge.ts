import { RUNTIMES, type TestResult } from "./results.ts";
import type { SpecificationRow } from "./row.ts";

export type Verdict = "passed" | "failed" | "missing";

export interface Judgement {
  readonly row: SpecificationRow;
  /** One a runtime, or one for all. */
  readonly places: readonly { readonly place: string; readonly verdict: Verdict; readonly tests: number }[];
}

/** Looks the tests of a row up. A part of a title that matches nothing is missing, wherever the others passed. */
export function judge(row: SpecificationRow, results: readonly TestResult[]): Judgement {
  const places = row.shown === "once" ? ["once"] : RUNTIMES;
  return {
    row,
    places: places.map((place) => {
      const here = place === "once" ? results : results.filter((result) => result.runtime === place);
      const matches = row.tests.map((part) => here.filter((result) => result.title.includes(part)));
      const tests = new Set(matches.flat());
      return { place, verdict: verdict(matches), tests: tests.size };
    }),
  };
}

function verdict(matches: readonly (readonly TestResult[])[]): Verdict {
  if (matches.length === 0 || matches.some((tests) => tests.length === 0)) return "missing";
  return matches.flat().every((test) => test.passed) ? "passed" : "failed";
}
