import { expect, test } from "vitest";
import { compare, describe } from "./compare.ts";
import { type Difference, entryOf, staleNames } from "./differences.ts";
import type { Results } from "./results.ts";

test("checks are compared by their statuses, in any order, and by whether they were come to at all", () => {
  const directly = results({ "r/s/same": "SUCCESS WARNING", "r/s/worse": "SUCCESS", "r/s/gone": "SUCCESS" });
  const through = results({ "r/s/same": "WARNING SUCCESS", "r/s/worse": "FAILURE", "r/s/new": "SKIPPED" });

  expect(compare(directly, through).map(describe)).toEqual([
    "r/s/worse: directly SUCCESS; through the gateway FAILURE\n    why",
    "r/s/gone: directly SUCCESS; through the gateway not come to",
    "r/s/new: directly not come to; through the gateway SKIPPED\n    why",
  ]);
});

test("a listed difference is about its runtime and servers only, and stale once no check there is any", () => {
  const entries: readonly Difference[] = [
    { reason: "everywhere", fixtures: ["own", "go"], names: ["r/s/one", "r/t/*"] },
    { reason: "on workerd alone", runtime: "workerd", fixtures: ["own"], names: ["r/s/two"] },
  ];
  const node = { runtime: "node", fixture: "own" } as const;
  const workerd = { runtime: "workerd", fixture: "own" } as const;

  expect(entryOf("r/t/any", node, entries)?.reason).toBe("everywhere");
  expect(entryOf("r/t/any", { runtime: "node", fixture: "typescript" }, entries)).toBeUndefined();
  expect(entryOf("r/s/two", node, entries)).toBeUndefined();
  expect(entryOf("r/s/two", workerd, entries)?.reason).toBe("on workerd alone");
  expect(staleNames(["r/s/one", "r/t/any"], node, entries)).toEqual([]);
  expect(staleNames(["r/s/one"], workerd, entries)).toEqual(["r/t/*", "r/s/two"]);
  expect(staleNames([], { runtime: "workerd", fixture: "typescript" }, entries)).toEqual([]);
});

/** Outcomes by name; the statuses of one name are separated by spaces. */
function results(statuses: Readonly<Record<string, string>>): Results {
  return new Map(
    Object.entries(statuses).map(([name, all]) => [
      name,
      all.split(" ").map((status) => ({ name, status: status as "SUCCESS", message: "why" })),
    ]),
  );
}
