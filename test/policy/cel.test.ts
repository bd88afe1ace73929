import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileCel } from "../../lib/policy/cel/compile.ts";
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
    ['request.mcp.http.headers["User-Agent"].startsWith("test")', {}],
    ['request.http.query.view.all(view, view == "full") && request.http.path == "/notes/1"', {}],
    [`${ARGUMENTS}.amount <= 100 && ${ARGUMENTS}.amount != 7`, { amount: 100 }],
    [`!has(${ARGUMENTS}.force)`, { amount: 1 }],
    [`${ARGUMENTS}.tags.all(tag, tag in ["a", "b"])`, { tags: ["a", "b", "a"] }],
    [`${ARGUMENTS}.tags.filter(t, t != "a").map(t, t + "!").exists(t, t == "b!")`, { tags: ["a", "b"] }],
    [`(${ARGUMENTS}.tags).exists_one(t, t.matches("(?i)^B$"))`, { tags: ["a", "b"] }],
    [`cel.bind(tags, ${ARGUMENTS}.tags, size(tags) == 2 && "b" in tags)`, { tags: ["a", "b"] }],
    [`${ARGUMENTS}.title.matches("^[A-Z][a-z]*( [a-z]+)*$")`, { title: "A good title" }],
    [`${ARGUMENTS}.all(name, name.matches( // matches\n "^[a-z]+$" ))`, { one: 1, two: 2 }],
    [`${ARGUMENTS}.a == ${ARGUMENTS}.b`, { a: { x: [1, "2", null] }, b: { x: [1, "2", null] } }],
    ['user.nothing == "x" || true', {}],
  ])("%s", (expression, given) => {
    expect(decide(expression, given)).toEqual({ outcome: "allowed" });
    expect(decide(`!(${expression}\n)`, given)).toEqual({ outcome: "denied" });
  });
});

describe("a CEL policy that cannot decide says why, and nothing of the arguments", () => {
  test.each([
    ['user.nothing == "x"', "no_such_key"],
    ["user.constructor == user.constructor", "no_such_key"],
    ["user.__proto__ == user.__proto__", "no_such_key"],
    [`${ARGUMENTS}.secret + 1 == 2`, "no_such_overload"],
    [`bool(${ARGUMENTS}.secret)`, "bool_conversion_error"],
    [`"a".matches(${ARGUMENTS}.secret)`, "invalid_regular_expression"],
    [`${ARGUMENTS}.secret`, "not_a_boolean"],
  ])("%s", (expression, failure) => {
    expect(decide(expression, { secret: "(hunter2" })).toEqual({ outcome: "failed", failure });
  });
});

describe("a CEL policy ends soon", () => {
  const many = Array.from({ length: 50_000 }, (_, index) => index);
  const long = "a".repeat(2_000_000);
  test.each([
    ["loops in loops", `${ARGUMENTS}.list.all(x, ${ARGUMENTS}.list.all(y, y >= 0.0))`, { list: many }],
    [
      "a loop that forgives errors",
      `${ARGUMENTS}.list.exists(x, ${ARGUMENTS}.list.exists(y, y < 0.0))`,
      { list: many },
    ],
    ["loops over what a function made", `${ARGUMENTS}.text.split("").all(x, x != "b")`, { text: long }],
    [
      "loops over what a loop made",
      `${ARGUMENTS}.list.map(x, x).all(x, ${ARGUMENTS}.list.map(y, y).all(z, z >= 0.0))`,
      { list: many },
    ],
    [
      "a variable that is a long text",
      `cel.bind(t, ${ARGUMENTS}.text, ${ARGUMENTS}.list.all(x, !t.contains("b")))`,
      { text: long, list: many },
    ],
    [
      "a variable that is a text of its own",
      `cel.bind(t, ${ARGUMENTS}.text + "!", ${ARGUMENTS}.list.all(x, size(t) > 1))`,
      { text: long, list: many },
    ],
    [
      "variables that are compared",
      `cel.bind(p, ${ARGUMENTS}.text.split(""), cel.bind(q, ${ARGUMENTS}.text.split(""), ${ARGUMENTS}.list.all(x, p == q)))`,
      { text: long, list: many },
    ],
    [
      "membership in what a function made",
      `cel.bind(parts, ${ARGUMENTS}.text.split(""), ${ARGUMENTS}.list.all(x, !("b" in parts)))`,
      { text: long, list: many },
    ],
    [
      "a text that is read again and again",
      `${ARGUMENTS}.list.all(x, !${ARGUMENTS}.text.contains("b"))`,
      { text: long, list: many },
    ],
    ["a pattern over a long text", `!${ARGUMENTS}.text.matches("(a|a)*b")`, { text: long }],
    [
      "a comparison of what is large",
      `[1, 2, 3].all(x, ${ARGUMENTS}.list == ${ARGUMENTS}.list.map(x, x))`,
      { list: many },
    ],
    [
      "what would not have mattered",
      `${ARGUMENTS}.list.all(x, ${ARGUMENTS}.list.all(y, y >= 0.0)) || true`,
      { list: many },
    ],
  ])("%s", (_, expression, given) => {
    expect(decide(expression, given)).toEqual({ outcome: "failed", failure: "too_many_steps" });
  });

  test("and still reads the longest argument of a message once", () => {
    const text = "a".repeat(4_000_000);
    expect(decide(`!${ARGUMENTS}.text.contains("b")`, { text })).toEqual({ outcome: "allowed" });
  });

  test("and still runs through a long list once", () => {
    const list = [...many, ...many].slice(0, 99_000);
    expect(decide(`${ARGUMENTS}.list.all(x, x >= 0.0)`, { list })).toEqual({ outcome: "allowed" });
  });

  test("with patterns that take others exponential time", () => {
    const text = `${"a".repeat(5_000)}!`;
    for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(.*a){12}$"]) {
      expect(decide(`${ARGUMENTS}.text.matches(${ARGUMENTS}.pattern)`, { text, pattern })).toEqual({
        outcome: "denied",
      });
    }
  });

  test("whatever call came before", () => {
    const policy = compileCel(`${ARGUMENTS}.list.all(x, x >= 0.0)`, "cel");
    const said = (list: readonly number[]) => policy.decide(policyInput({ arguments: { list } })).outcome;
    expect([said([1]), said([...many, ...many, ...many]), said([1]), said([-1])]).toEqual([
      "allowed",
      "failed",
      "allowed",
      "denied",
    ]);
  });
});

test("no arguments make a policy throw, allow without reason or change them", () => {
  const policies = [
    `${ARGUMENTS}.all(name, ${ARGUMENTS}[name] == ${ARGUMENTS}[name]) && has(user.nothing)`,
    `${ARGUMENTS}.a.b.c.matches("a") && false`,
    `${ARGUMENTS}.exists(x, ${ARGUMENTS}[x] in ["a", "b"]) && has(user.nothing)`,
    `string(${ARGUMENTS}) == "a" && has(user.nothing)`,
    `size(${ARGUMENTS}) > 1000000`,
    `${ARGUMENTS}["__proto__"] == user && has(user.nothing)`,
  ].map((expression) => compileCel(expression, "cel"));
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const given: unknown = JSON.parse(JSON.stringify(value));
      for (const policy of policies) {
        expect(policy.decide(policyInput({ arguments: given })).outcome).not.toBe("allowed");
      }
      expect(JSON.stringify(given)).toBe(JSON.stringify(value));
    }),
  );
});

describe("whether a policy decides on listing, too", () => {
  test.each([
    ["true", true],
    ['user.sub == "a"', true],
    ['request.mcp.tool.params.name == "a"', true],
    ['request["mcp"].tool["params"].name == "a"', true],
    ['has(request.mcp.session) || request.mcp.http.method == "POST"', true],
    ['has(request.http.remoteAddress) && request.http.remoteAddress == "203.0.113.1"', true],
    ['request.http.method == "POST"', false],
    ["!has(request.http.form)", false],
    ["request.http.exists(name, name == 'query')", false],
    [`${ARGUMENTS}.a == 1`, false],
    ['request.mcp["tool"].params["arguments"].a == 1', false],
    [`has(${ARGUMENTS}.a)`, false],
    ['request.mcp.tool.params.exists(name, name == "arguments")', false],
    ["cel.bind(params, request.mcp.tool.params, params.name == params.name)", false],
    ['request[user.sub] == "a"', false],
    ["[request].exists(r, r.mcp.tool.params.arguments.a == 1)", false],
  ])("%s: %s", (expression, decidesOnListing) => {
    expect(compileCel(expression, "cel").decidesOnListing).toBe(decidesOnListing);
  });
});

describe("whether a policy says the same of every list of one caller", () => {
  test.each([
    ["true", true],
    ['user.sub == "a" && agent.clientID == "b" && "clerk" in token.claims.roles', true],
    ['request.mcp.tool.params.name == "a" || request["mcp"].app == "b"', true],
    ['request.mcp.method == "tools/call"', true],
    ["user.names.exists(name, request.mcp.tool.params.name.startsWith(name))", true],
    ["has(request.mcp.session)", false],
    ['request.mcp.http.headers["User-Agent"] == "a"', false],
    ['request.http.remoteAddress == "203.0.113.1"', false],
    ["size(request.mcp) == 3", false],
    ["request.exists(name, name == 'http')", false],
    ['request.mcp[user.sub] == "a"', false],
    ["cel.bind(all, request, all.mcp.http.path == '/mcp')", false],
    ["[request].exists(r, r.mcp.http.path == '/mcp')", false],
  ])("%s: %s", (expression, readsCallerAlone) => {
    expect(compileCel(expression, "cel")).toMatchObject({ readsCallerAlone });
  });
});
