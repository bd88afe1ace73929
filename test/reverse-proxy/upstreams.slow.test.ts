import fc from "fast-check";
import { expect, test } from "vitest";
import { CASES, judge } from "./upstreams.ts";

test("58. no upstream of 100,000 reads a path as one that another policy protects", { timeout: 600_000 }, () => {
  const counts = new Map<string, number>();
  fc.assert(
    fc.property(CASES, (one) => {
      const outcome = judge(one);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    }),
    { numRuns: 100_000 },
  );
  // Otherwise the cases say nothing.
  for (const outcome of ["refused", "unknown", "ambiguous", "same", "open"]) {
    expect([outcome, (counts.get(outcome) ?? 0) > 500]).toEqual([outcome, true]);
  }
});
