import { RUNTIMES, type Runtime, type TestResult } from "./results.ts";
import type { SpecificationRow } from "./row.ts";

/** `deviates`: the tests of a named deviation passed. */
export type Verdict = "passed" | "deviates" | "failed" | "missing";

export interface Judgement {
  readonly row: SpecificationRow;
  /** One a runtime, or one for all with one for each runtime that deviates; one more for what is shown beside. */
  readonly places: readonly Place[];
  /** The worst of its places. */
  readonly verdict: Verdict;
}

interface Place {
  readonly place: string;
  readonly verdict: Verdict;
  readonly tests: number;
}

/** Looks the tests of a row up. A part of a title that matches nothing is missing, wherever the others passed. */
export function judge(row: SpecificationRow, results: readonly TestResult[]): Judgement {
  const { deviations = {} } = row;
  const isHere = (place: Runtime) => (result: TestResult) => result.runtime === place;
  const isHereOrAnywhere = (place: Runtime) => (result: TestResult) =>
    result.runtime === place || result.runtime === undefined;
  const holding =
    row.shown === "once"
      ? [placeOf("once", row.tests, results)]
      : RUNTIMES.filter((place) => deviations[place] === undefined).map((place) =>
          placeOf(place, row.tests, results.filter(isHere(place))),
        );
  const deviating = RUNTIMES.flatMap((place) => {
    const deviation = deviations[place];
    if (deviation === undefined) return [];
    const found = placeOf(place, deviation.tests, results.filter(isHereOrAnywhere(place)));
    return [found.verdict === "passed" ? ({ ...found, verdict: "deviates" } as const) : found];
  });
  const elsewhere = row.also === undefined ? [] : [placeOf("once", row.also, results)];
  const places = [...holding, ...elsewhere, ...deviating];
  return { row, places, verdict: worst(places) };
}

function placeOf(place: string, parts: readonly string[], results: readonly TestResult[]): Place {
  const matches = parts.map((part) => results.filter((result) => result.title.includes(part)));
  return { place, verdict: verdict(matches), tests: new Set(matches.flat()).size };
}

function verdict(matches: readonly (readonly TestResult[])[]): Verdict {
  if (matches.length === 0 || matches.some((tests) => tests.length === 0)) return "missing";
  return matches.flat().every((test) => test.passed) ? "passed" : "failed";
}

function worst(places: readonly Place[]): Verdict {
  const order: readonly Verdict[] = ["missing", "failed", "deviates"];
  return order.find((one) => places.some((place) => place.verdict === one)) ?? "passed";
}
