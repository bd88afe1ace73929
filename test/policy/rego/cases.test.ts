import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { evaluateAsync, type PreparedPlan, preparePlan } from "../../../lib/policy/rego/evaluate.ts";
import { PlanError } from "../../../lib/policy/rego/plan.ts";
import {
  fromJson,
  isArray,
  jsonText,
  parseJson,
  RegoObject,
  sorted,
  type Value,
} from "../../../lib/policy/rego/value.ts";
import notPassed from "./not-passed.json" with { type: "json" };
import { parseTerm } from "./term.ts";

/**
 * The cases of OPA's plan interpreters are not part of the repository (github.com/open-policy-agent/swift-opa, compliance suite; one
 * JSON object a line). A plan that calls a built-in function that is not served must be refused. Of the others those in
 * `not-passed.json` may fail; the list may only shrink: one of them that passes is an error, too.
 */
const FOLDER = process.env.COUNTERSIGN_OPA_PLANS ?? "../shared/data/opa-plan";
const FILE = `${FOLDER}/cases.jsonl.gz`;

test("names each case that does not pass once, and says why", () => {
  const notes = Object.keys(notPassed);
  expect(notes).toEqual([...new Set(notes)].sort());
  expect(Object.values(notPassed).filter((reason) => reason === "")).toEqual([]);
});

if (existsSync(FILE)) {
  test("answers as OPA does", async () => {
    const counts = { passed: 0, failed: 0, notServed: 0 };
    const failed: string[] = [];
    for (const line of gunzipSync(readFileSync(FILE)).toString().trim().split("\n")) {
      const one = parseJson(line) as RegoObject;
      const outcome = await judge(one, JSON.parse(line) as Case);
      counts[outcome] += 1;
      if (outcome === "failed") failed.push(String(one.get("note")));
    }
    const served = counts.passed + counts.failed;
    const share = ((100 * counts.passed) / served).toFixed(2);
    console.log(`OPA's plans: ${counts.passed} of ${served} passed (${share} %); ${counts.notServed} refused.`);
    expect(failed.sort()).toEqual(Object.keys(notPassed));
  });
} else console.log(`NOT RUN: OPA's cases; ${FILE} is missing.`);

/** Numbers of `plan` are small; what `input`, `data` and the result have is read with all digits. */
interface Case {
  readonly plan: unknown;
  readonly entrypoints: readonly string[];
  readonly input_term?: string;
  readonly want_error?: string;
  readonly want_error_code?: string;
  readonly sort_bindings?: boolean;
  readonly strict_error?: boolean;
}

async function judge(exact: RegoObject, one: Case): Promise<"passed" | "failed" | "notServed"> {
  let prepared: PreparedPlan;
  try {
    prepared = preparePlan(one.plan);
  } catch (error) {
    if (error instanceof PlanError && error.message.startsWith("not served: ")) return "notServed";
    throw error;
  }
  const input = one.input_term === undefined ? exact.get("input") : parseTerm(one.input_term);
  const strict = one.strict_error ?? false;
  const entrypoint = one.entrypoints[0] ?? "";
  const options = { entrypoint, strict, budget: 20_000_000 };
  const got = await evaluateAsync(prepared, input, exact.get("data") ?? {}, options);
  if (one.want_error_code !== undefined || one.want_error !== undefined)
    return "error" in got && (one.want_error_code ?? got.error.code) === got.error.code ? "passed" : "failed";
  if ("error" in got) return "failed";
  const want = exact.get("want_plan_result");
  const wanted = isArray(want) ? want : [];
  return normal(got.results, one) === normal(wanted, one) ? "passed" : "failed";
}

/** Results in one order. A set is an array in JSON, so where the cases say so arrays are in one order, too. */
function normal(results: readonly Value[], { sort_bindings }: Case): string {
  const bindings = results.map((result) => {
    const plain = parseJson(jsonText(result)) as RegoObject;
    if (sort_bindings !== true) return jsonText(plain);
    const object = new RegoObject();
    for (const [name, value] of plain.entries()) object.set(name, isArray(value) ? sorted(value) : value);
    return jsonText(object);
  });
  return jsonText(fromJson(bindings.sort()));
}
