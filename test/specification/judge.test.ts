import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import { RUNTIMES, type Runtime, runtimeOf, type TestResult } from "./results.ts";
import { deviates, type SpecificationRow } from "./row.ts";
import { rows } from "./rows.ts";

const row: SpecificationRow = { id: "a.b", statement: "A is b.", shown: "runtimes", tests: ["a is b"] };

test("every part of the behaviour suite counts for its runtime, and no other file for one", () => {
  const parts = (pattern: string) => globSync(`test/runtimes/${pattern}`).map(runtimeOf);
  for (const runtime of RUNTIMES) {
    const found = parts(`${runtime}.*.test.ts`);
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found)).toEqual(new Set([runtime]));
  }
  expect(new Set(parts("*.slow.test.ts"))).toEqual(new Set([undefined]));
  expect(["test/runtimes/smoke.test.ts", "test/mcp/node.a.test.ts"].map(runtimeOf)).toEqual([undefined, undefined]);
});

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

test("a row that deviates on a runtime never counts as one that holds, and its deviation is shown there", () => {
  const deviations = deviates(["lambda"], "Nothing is a there.", ["a is absent"]);
  const partly: SpecificationRow = { ...row, deviations };
  const passing = [result("node", "a is b"), result("workerd", "a is b")];
  const judged = judge(partly, [...passing, result("lambda", "a is absent")]);
  expect(judged.verdict).toBe("deviates");
  expect(judged.places.map(({ place, verdict }) => `${place} ${verdict}`)).toEqual([
    "node passed",
    "workerd passed",
    "lambda deviates",
  ]);
  // The test of another runtime shows nothing there; one of no runtime may be about it.
  expect(judge(partly, [...passing, result("node", "a is absent")]).verdict).toBe("missing");
  expect(judge(partly, [...passing, result(undefined, "a is absent")]).verdict).toBe("deviates");
  expect(judge(partly, [...passing, { ...result("lambda", "a is absent"), passed: false }]).verdict).toBe("failed");
});

test("a row that is shown once has a place for each runtime on which it deviates", () => {
  const deviations = deviates(["workerd", "lambda"], "Nothing is a there.", ["a is absent"]);
  const judged = judge({ ...row, shown: "once", deviations }, [
    result(undefined, "a is b"),
    result(undefined, "a is absent"),
  ]);
  expect(judged.places.map(({ place, verdict }) => `${place} ${verdict}`)).toEqual([
    "once passed",
    "workerd deviates",
    "lambda deviates",
  ]);
  expect(judged.verdict).toBe("deviates");
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
