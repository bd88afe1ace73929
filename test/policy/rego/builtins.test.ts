import { describe, expect, test } from "vitest";
import { boundedCache } from "../../../lib/kernel/bounded-cache.ts";
import { EvaluationError } from "../../../lib/policy/rego/budget.ts";
import { findBuiltin } from "../../../lib/policy/rego/builtins/table.ts";
import { fromJson, jsonText, type Value } from "../../../lib/policy/rego/value.ts";
import answers from "./answers.json" with { type: "json" };

const surroundings = {
  ...{ now: 0n, print: () => undefined, strict: false, signatures: new Map<string, boolean>() },
  remembered: boundedCache<string, unknown>(50),
};

/** The answer as JSON; null: the call is undefined. */
function answerOf(name: string, operands: readonly unknown[]): string | null {
  const found = findBuiltin(name);
  if ("refused" in found) throw new Error(found.refused);
  try {
    const value: Value | undefined = found.run(
      operands.map((operand) => fromJson(operand)),
      surroundings,
    );
    return value === undefined ? null : jsonText(value);
  } catch (error) {
    if (error instanceof EvaluationError) return null;
    throw error;
  }
}

/** `answers.json` is what OPA 1.22 said of calls that were drawn at random. */
describe("built-in functions answer as OPA's do", () => {
  const names = [...new Set(answers.map(({ call }) => call))];
  test.each(names)("%s", (name) => {
    const own = answers.filter(({ call }) => call === name);
    const got = own.map(({ operands }) => ({ operands, answer: answerOf(name, operands) }));
    expect(got).toEqual(own.map(({ operands, answer }) => ({ operands, answer })));
  });
});
