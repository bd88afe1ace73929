import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import type { Runtime, TestResult } from "./results.ts";
import type { SpecificationRow } from "./row.ts";
import { rows } from "./rows.ts";

const row: SpecificationRow = { id: "a.b", statement: "A is b.", shown: "runtimes", tests: ["a is b"] };

test("a row passes on a runtime when all of its tests passed there", () => {
  const results = [
    result("node", "suite > a is b"),
    result("workerd", "suite > a is b, again"),
    result("lambda", "a is b"),
  ];
  expect(judge(row, results).places.map(({ verdict }) => verdict)).toEqual(["passed", "passed", "passed"]);
});

test("a row without a test on one runtime is missing there", () => {
  const results = [result("node", "a is b"), result("lambda", "a is c"), result(undefined, "a is b")];
  expect(judge(row, results).places.map(({ verdict }) => verdict)).toEqual(["passed", "missing", "missing"]);
});

test("a test that failed or did not run fails the row", () => {
  const results = [result("node", "a is b"), { ...result("node", "a is b too"), passed: false }];
  expect(judge(row, results).places[0]).toEqual({ place: "node", verdict: "failed", tests: 2 });
});

test("every part of a row has to be found, also in a row that is shown once", () => {
  const once: SpecificationRow = { ...row, shown: "once", tests: ["a is b", "b is c"] };
  expect(judge(once, [result(undefined, "a is b")]).places).toMatchObject([{ place: "once", verdict: "missing" }]);
  expect(judge({ ...once, tests: [] }, []).places).toMatchObject([{ verdict: "missing" }]);
});

test("every row has its own id, a statement and at least one test", () => {
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  for (const { id, statement, tests } of rows) {
    expect(id).toMatch(/^[a-z-]+(\.[A-Za-z0-9<>[\]-]+)+$/);
    expect(statement).toMatch(/\.$/);
    expect(tests.length).toBeGreaterThan(0);
  }
});

function result(runtime: Runtime | undefined, title: string): TestResult {
  return { runtime, title, passed: true, messages: [] };
}
