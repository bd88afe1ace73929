import { Environment } from "@marcbachmann/cel-js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compileCel } from "../../lib/policy/cel/compile.ts";
import { ExpressionError } from "../../lib/policy/cel/syntax.ts";
import { policyInput } from "./input.ts";

const ARGUMENTS = "request.mcp.tool.params.arguments";

/** Expressions over two lists, two texts and the variables of loops that are around them. */
const expression = fc.letrec<{ bool: string; list: string; text: string; loop: string; wrapped: string }>((tie) => ({
  bool: fc.oneof(
    { maxDepth: 4, depthIdentifier: "expression" },
    fc.constantFrom("true", "false", `has(${ARGUMENTS}.none)`, "user.none == 'a'"),
    fc.tuple(tie("text"), tie("list")).map(([text, list]) => `${text} in ${list}`),
    fc.tuple(tie("text"), tie("text")).map(([one, other]) => `${one}.contains(${other})`),
    fc
      .tuple(tie("text"), fc.constantFrom("^a", "matches(", "b.?$"))
      .map(([text, pattern]) => `${text} . matches ( // matches\n"${pattern.replace("(", "\\\\(")}")`),
    fc.tuple(tie("list"), tie("list")).map(([one, other]) => `${one} == ${other}`),
    tie("loop"),
    fc.tuple(tie("text"), tie("bool")).map(([text, inner]) => `cel.bind(t, ${text}, ${inner})`),
    fc.tuple(tie("list"), tie("bool")).map(([list, inner]) => `cel.bind(l, ${list}, ${inner})`),
    fc.tuple(tie("bool"), fc.constantFrom("&&", "||"), tie("bool")).map((parts) => `(${parts.join(" ")})`),
    tie("bool").map((inner) => `!(${inner})`),
    fc.tuple(tie("bool"), tie("bool"), tie("bool")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
  ),
  loop: fc
    .tuple(tie("list"), fc.constantFrom("all", "exists", "exists_one"), tie("bool"))
    .map(([list, name, inner]) => `${list}.${name}(x, x != "b" && ${inner})`),
  list: fc.oneof(
    { maxDepth: 3, depthIdentifier: "expression" },
    fc.constantFrom(`${ARGUMENTS}.list`, `(${ARGUMENTS})["list"]`, '["a", "😀", "\\"matches(\\""]', "([])", "l"),
    tie("text").map((text) => `${text}.split("")`),
    fc.tuple(tie("list"), tie("bool")).map(([list, inner]) => `${list}.filter(y, ${inner})`),
    fc.tuple(tie("list"), tie("text")).map(([list, inner]) => `(${list}).map(y, ${inner})`),
    fc.tuple(tie("list"), tie("list")).map(([one, other]) => `(${one} + ${other})`),
  ),
  text: fc.constantFrom(
    '"a"',
    "'😀 in'",
    `${ARGUMENTS}.text`,
    '"x.matches("',
    "(agent.clientID)",
    "x",
    "y",
    "t",
    'R"a"',
    "r'''a\\b'''",
  ),
  wrapped: tie("bool"),
})).wrapped;

test("an expression that is bounded says what it says without bounds", () => {
  const plain = new Environment();
  for (const name of ["request", "user", "agent", "token"]) plain.registerVariable(name, "map");
  const input = policyInput({ arguments: { list: ["a", "b", "😀"], text: "ab a" } });
  fc.assert(
    fc.property(expression, (text) => {
      const parsed = plain.parse(text);
      fc.pre(parsed.check().valid);
      const { decide } = compileCel(text, "cel");
      expect(decide(input).outcome).toBe(outcomeOf(() => parsed(input)));
    }),
    { numRuns: 1_000 },
  );
});

test("an expression is nested as deeply as it may be, or a mistake", () => {
  const nested = (depth: number): string => (depth === 0 ? "true" : `[1].all(x, "a" in ["a"] && ${nested(depth - 1)})`);
  const outcomes = Array.from({ length: 120 }, (_, depth) => {
    try {
      return compileCel(nested(depth), "cel").decide(policyInput()).outcome;
    } catch (cause) {
      expect(cause).toBeInstanceOf(ExpressionError);
      return "refused";
    }
  });
  expect(new Set(outcomes)).toEqual(new Set(["allowed", "refused"]));
});

function outcomeOf(evaluate: () => unknown): string {
  try {
    return evaluate() === true ? "allowed" : "denied";
  } catch {
    return "failed";
  }
}
