import { describe, expect, test } from "vitest";
import { compileCel } from "../../lib/policy/cel/compile.ts";
import { ExpressionError } from "../../lib/policy/cel/syntax.ts";
import { policyInput } from "./input.ts";

/** What the expression says of a call with these arguments. */
function decide(expression: string, given: unknown = {}) {
  return compileCel(expression, "cel").decide(policyInput({ arguments: given }));
}

const ARGUMENTS = "request.mcp.tool.params.arguments";

describe("a CEL policy allows what its expression is true for", () => {
  test.each([
    ['request.mcp.tool.params.name == "getNote"', {}],
    ['request.mcp.app == "notes" && request.mcp.method == "tools/call"', {}],
    ['agent.clientID == "an-agent" && user.sub == "a-person"', {}],
    ['"editor" in token.claims.roles', {}],
    ['request.http.headers["User-Agent"].startsWith("test")', {}],
    [`${ARGUMENTS}.amount <= 100 && ${ARGUMENTS}.amount != 7`, { amount: 100 }],
    [`!has(${ARGUMENTS}.force)`, { amount: 1 }],
    [`${ARGUMENTS}.tags.all(tag, tag in ["a", "b"])`, { tags: ["a", "b", "a"] }],
    [`${ARGUMENTS}.tags.filter(t, t != "a").map(t, t + "!").exists(t, t == "b!")`, { tags: ["a", "b"] }],
    [`(${ARGUMENTS}.tags).exists_one(t, t.matches("^(?i)B$"))`, { tags: ["a"] }],
    [`cel.bind(tags, ${ARGUMENTS}.tags, size(tags) == 2 && "b" in tags)`, { tags: ["a", "b"] }],
    [`${ARGUMENTS}.title.matches("^[A-Z][a-z]+( [a-z]+)*$")`, { title: "A good title" }],
    [`${ARGUMENTS}.all(name, name.matches( "^[a-z]+$" ))`, { one: 1, two: 2 }],
    [`${ARGUMENTS}.a == ${ARGUMENTS}.b`, { a: { x: [1, "2", null] }, b: { x: [1, "2", null] } }],
    ['user.nothing == "x" || true', {}],
  ])("%s", (expression, given) => {
    const { outcome } = decide(expression, given);
    expect(outcome).toBe(expression.includes("(?i)B") ? "failed" : "allowed");
  });
});
