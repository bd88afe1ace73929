import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../lib/kernel/json.ts";
import { type Comparison, comparisonOperand, createComparisons } from "../../lib/policy/comparisons.ts";
import { policyInput } from "./input.ts";

type Rule = readonly [operator: Comparison["operator"], first: string, second: string];

/** Whether rules let somebody in of whom the connector `corp` says this. */
function isAllowed(rules: readonly Rule[], corp: JsonObject | undefined, aggregation: "and" | "or" = "and"): boolean {
  const comparisons = rules.map(([operator, first, second]): Comparison => {
    return { operator, operands: [comparisonOperand(first), comparisonOperand(second)] };
  });
  const policy = createComparisons({ name: "rules", rules: comparisons, aggregation });
  const decision = policy.decide({ ...policyInput(), ...(corp !== undefined && { attributes: { corp } }) });
  expect(["allowed", "denied"]).toContain(decision.outcome);
  return decision.outcome === "allowed";
}

const CORP = {
  department: "finance",
  level: 3,
  isActive: true,
  groups: ["payroll", "wiki"],
  codes: [1, 2],
  none: [],
  empty: "",
  nothing: null,
  address: { country: "NO" },
  mixed: ["payroll", { name: "admin" }],
};

describe("a comparison", () => {
  test.each([
    ["equals", "{{ corp.department }}", "finance", true],
    ["equals", "{{corp.department}}", "Finance", false],
    ["equals", "finance", "{{ corp.department }}", true],
    ["equals", "{{ corp.level }}", "3", true],
    ["equals", "{{ corp.isActive }}", "true", true],
    ["equals", "{{ corp.groups }}", "payroll", false],
    ["equals", "{{ corp.groups }}", "payroll,wiki", false],
    ["notEquals", "{{ corp.department }}", "sales", true],
    ["notEquals", "{{ corp.department }}", "finance", false],
    ["contains", "{{ corp.groups }}", "payroll", true],
    ["contains", "{{ corp.groups }}", "pay", false],
    ["contains", "{{ corp.codes }}", "2", true],
    ["contains", "{{ corp.department }}", "fin", true],
    ["contains", "{{ corp.department }}", "sales", false],
    ["contains", "{{ corp.none }}", "payroll", false],
    ["contains", "finance,sales", "{{ corp.department }}", true],
    ["notContains", "{{ corp.groups }}", "admin", true],
    ["notContains", "{{ corp.groups }}", "wiki", false],
    ["notContains", "{{ corp.none }}", "wiki", true],
    ["notContains", "{{ corp.department }}", "fin", false],
  ] as const)("%s: %s and %s is %s", (operator, first, second, expected) => {
    expect(isAllowed([[operator, first, second]], CORP)).toBe(expected);
  });

  test.each([
    // Of two groups one would always differ.
    ["notEquals", "{{ corp.groups }}", "admin"],
    ["notContains", "admin", "{{ corp.groups }}"],
    // Every text contains the empty one.
    ["contains", "finance", "{{ corp.empty }}"],
    ["notContains", "{{ corp.mixed }}", "admin"],
    ["notEquals", "{{ corp.address }}", "NO"],
    // What every object has is no claim.
    ["notEquals", "{{ corp.constructor }}", "a"],
    ["notEquals", "{{ constructor.name }}", "a"],
  ] as const)("%s: %s and %s lets nobody in, as there is no one text to compare", (operator, first, second) => {
    expect(isAllowed([[operator, first, second]], CORP)).toBe(false);
  });

  const OPERATORS = ["equals", "notEquals", "contains", "notContains"] as const;
  const name = fc.stringMatching(/^[a-z]{1,4}$/);
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.string(), { maxLength: 3 }),
  );

  test("63. with a missing claim fails, also a negative one, whatever else is known", () => {
    const drawn = fc.record({
      operator: fc.constantFrom(...OPERATORS),
      claim: name,
      other: fc.oneof(
        name,
        name.map((one) => `{{ corp.${one} }}`),
      ),
      claims: fc.option(fc.dictionary(name, value), { nil: undefined }),
      isMissing: fc.constantFrom("absent", "null", "empty"),
      isSecond: fc.boolean(),
    });
    fc.assert(
      fc.property(drawn, ({ operator, claim, other, claims, isMissing, isSecond }) => {
        const { [claim]: _, ...rest } = claims ?? {};
        const left = { absent: {}, null: { [claim]: null }, empty: { [claim]: "" } }[isMissing];
        const corp = claims === undefined ? undefined : ({ ...rest, ...left } as JsonObject);
        const rule: Rule = isSecond
          ? [operator, other, `{{ corp.${claim} }}`]
          : [operator, `{{ corp.${claim} }}`, other];
        expect(isAllowed([rule], corp)).toBe(false);
      }),
    );
  });

  test("and its negation never both hold, and one does where both texts are there", () => {
    const text = fc.string({ minLength: 1, maxLength: 4 });
    const pairs = [
      ["equals", "notEquals"],
      ["contains", "notContains"],
    ] as const;
    fc.assert(
      fc.property(fc.constantFrom(...pairs), value, text, ([positive, negative], claim, written) => {
        fc.pre(comparisonOperand(written) !== undefined && "text" in comparisonOperand(written));
        const said = (operator: Comparison["operator"]) =>
          isAllowed([[operator, "{{ corp.a }}", written]], { a: claim } as JsonObject);
        expect(said(positive) && said(negative)).toBe(false);
        if (typeof claim === "string" && claim !== "") expect(said(positive) || said(negative)).toBe(true);
      }),
    );
  });
});

describe("several comparisons", () => {
  const holds: Rule = ["equals", "{{ corp.department }}", "finance"];
  const fails: Rule = ["contains", "{{ corp.groups }}", "admin"];
  const missing: Rule = ["notEquals", "{{ corp.missing }}", "a"];

  test.each([
    ["and", [holds, holds], true],
    ["and", [holds, fails], false],
    ["and", [holds, missing], false],
    ["or", [fails, holds], true],
    ["or", [missing, holds], true],
    ["or", [fails, missing], false],
  ] as const)("%s", (aggregation, rules, expected) => {
    expect(isAllowed(rules, CORP, aggregation)).toBe(expected);
  });

  test("63. let nobody in who is known to no connector", () => {
    expect(isAllowed([holds], undefined)).toBe(false);
  });
});
