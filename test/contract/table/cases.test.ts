import { expect, test } from "vitest";
import type { TestResult } from "../../specification/results.ts";
import { casesIn, findings, runFindings } from "./cases.ts";
import { ENGINES, REQUIRED, SUITES } from "./required.ts";

test("a case is one row, whatever stands around its suite and whichever variant of the engine it ran on", () => {
  const results = [
    result("races on SQLite > tokens on SQLite > a > b"),
    result("tokens on SQLite in its own thread > a > b"),
    { ...result("tokens on Durable Objects > a > b"), passed: false },
    result("tokens on DynamoDB (dynamodb-local) > a > b"),
    result("state on Cloudflare > a > b"),
  ];
  expect(casesIn(results)).toEqual([
    {
      suite: "tokens",
      title: "a > b",
      cells: {
        SQLite: "passed",
        "SQLite in its own thread": "passed",
        "Durable Objects": "failed",
        DynamoDB: "passed",
      },
    },
  ]);
});

test("a case that an engine does not have is a finding unless a reason is stated", () => {
  const found = findings(casesIn([result("migrations on SQLite > a"), result("tokens on SQLite > a")]));
  expect(found).toContain("absent on Durable Objects: tokens, a");
  expect(found).toContain("absent on SQLite in its own thread: migrations, a");
  expect(found).not.toContain("absent on Durable Objects: migrations, a");
});

test("everything required on every engine is complete, and each piece that is taken away is a finding", () => {
  const all = ENGINES.flatMap((engine) => everyRequired().map((path) => result(path.replace("*", engine))));
  expect(findings(casesIn(all))).toEqual([]);
  for (const path of everyRequired()) {
    const fewer = all.filter(({ title }) => !ENGINES.some((engine) => title === path.replace("*", engine)));
    expect(findings(casesIn(fewer))).toHaveLength(1);
  }
});

test("a failed case and a suite of no port are findings", () => {
  const found = findings(
    casesIn([{ ...result("tokens on SQLite > a"), passed: false }, result("weather on SQLite > a")]),
  );
  expect(found).toContain("failed on SQLite: tokens, a");
  expect(found).toContain('no port for the suite "weather"');
});

test("a run that failed without a failed case is a finding", () => {
  const passed = casesIn([result("tokens on SQLite > a")]);
  const failed = casesIn([{ ...result("tokens on SQLite > a"), passed: false }]);
  expect([runFindings(passed, 0), runFindings(failed, 1)]).toEqual([[], []]);
  for (const exit of [1, "SIGKILL"]) expect(runFindings(passed, exit)).toEqual([expect.stringContaining(`${exit}`)]);
  expect(runFindings([], 1)).toHaveLength(1);
});

/** Titles of the required cases in a suite of their port, with * for the engine. */
function everyRequired(): readonly string[] {
  return REQUIRED.flatMap(({ tests }) =>
    Object.entries(tests).flatMap(([port, titles]) => {
      const suite = Object.keys(SUITES).find((name) => SUITES[name] === port);
      return "none" in titles ? [] : titles.map((title) => `${suite} on * > ${title}`);
    }),
  );
}

function result(title: string): TestResult {
  return { runtime: undefined, title, passed: true, messages: [] };
}
