import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compileCel } from "../../lib/policy/cel/compile.ts";
import { ExpressionError } from "../../lib/policy/cel/syntax.ts";
import { typeCheck } from "../../lib/policy/cel/type-check.ts";

const ARGUMENTS = "request.mcp.tool.params.arguments";

/** The mistake in an expression that can be compiled, and where it is; undefined: there is none. */
function mistakeIn(expression: string): string | undefined {
  compileCel(expression, "cel");
  try {
    typeCheck(expression);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof ExpressionError)) throw cause;
    return `${cause.offset}: ${cause.message}`;
  }
}

describe("a policy that reads a member that no input has is a mistake", () => {
  test.each([
    ['request.mpc.method != "tools/call" || true', '8: request has no member "mpc"; did you mean "mcp"?'],
    ["!has(request.mpc.resource) || true", '13: request has no member "mpc"; did you mean "mcp"?'],
    ["!has(request.mcp.resorce) || true", '17: request.mcp has no member "resorce"; did you mean "resource"?'],
    ['request["mpc"].app == "a"', '8: request has no member "mpc"; did you mean "mcp"?'],
    ['agent.clientId == "a"', '6: agent has no member "clientId"; did you mean "clientID"?'],
    ["token.scope == 1", '6: token has no member "scope"; accepted: claims'],
    ['request.mcp.tool.name == "a"', '17: request.mcp.tool has no member "name"; accepted: params'],
    ['cel.bind(p, request.mcp.tool.params, p.nmae == "a")', '39: p has no member "nmae"; did you mean "name"?'],
    ["[request].exists(r, has(r.mpc.app))", '26: r has no member "mpc"; did you mean "mcp"?'],
    ['request.mcp.tools.all(t, t.parms.name != "a")', '27: t has no member "parms"; did you mean "params"?'],
    ['"a" in request.http.headers && user.a == 1 || request.mcp.apps == ""', '58: request.mcp has no member "apps"'],
    ['request.http.qery.a[0] == "b"', '13: request.http has no member "qery"; did you mean "query"?'],
    ['request.mcp.http.query.a == "b"', '17: request.mcp.http has no member "query"'],
    ['request.mcp == user || request.http.paths == "a"', '36: request.http has no member "paths"'],
  ])("%s", (expression, mistake) => {
    expect(mistakeIn(expression)).toContain(mistake);
  });

  test("and so is one that compares a text with what is none", () => {
    expect(mistakeIn("request.mcp.method == 1")).toBe("0: no such overload: string == int");
    expect(mistakeIn("request.http.path > 1")).toBe("0: no such overload: string > int");
  });
});

describe("a policy may read all that there is, and whatever agents and authorization servers fill", () => {
  test.each([
    "user.anything.at.all == 1 && token.claims.anything[0].else == 'a'",
    `${ARGUMENTS}.anything > 1 && ${ARGUMENTS}["more"].all(x, x.y != x.z)`,
    `has(${ARGUMENTS}.a.b) || has(user.nothing) || has(token.claims.realm_access.roles)`,
    'request.http.headers["User-Agent"].startsWith("a") || has(request.http.headers.Authorization)',
    'has(request.http.remoteAddress) && request.http.method == "POST" && request.http.path.matches("^/a")',
    'request.mcp.session != null || agent.clientID == null || request.mcp.app in ["a", "b"]',
    'request.mcp.prompt.params.name == "a" && request.mcp.prompt.params.arguments.month == "11"',
    'request.mcp.tools.exists(t, t.params.name == "a") || request.mcp.resource.uri.startsWith("file:")',
    '"tool" in request.mcp || size(request.mcp) == 3 || request.mcp == user',
    'request.mcp.tool.params.exists(name, name == "arguments")',
    'request[user.sub] == "a" || [user.sub, request.mcp.app].exists(x, x == "a")',
    '(user.a ? user.sub : request.mcp.app) == "a" || "a" in [user.sub, agent.clientID]',
    'dyn(request).mpc == "a" || type(request) == map',
    'request.http.query.limit.all(l, double(l) <= 10.0) && request.http.form["a"][0] == "b"',
    'request.mcp.http.headers["User-Agent"] == "a" && request.mcp.http.path == request.mcp.http.method',
    'has(user.has) && user.has == "has(request.mpc)"',
  ])("%s", (expression) => {
    expect(mistakeIn(expression)).toBeUndefined();
  });

  test("as all examples in the documentation do", () => {
    const pages = ["policies", "proxy"].map((page) =>
      readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), "utf8"),
    );
    const folded = /\bcel: >-\n((?: +.*\n)+?)(?= *(?:- )?[a-z]+:|```)/gi;
    const written = [
      ...pages.flatMap((page) => [...page.matchAll(folded)].map(([, text = ""]) => text.replaceAll(/\s+/g, " "))),
      ...pages.flatMap((page) =>
        [...page.matchAll(/^ *(?:- )?cel: ([^>\n].*)$/gm)].map(([, text = ""]) => text.replace(/^'(.*)'$/, "$1")),
      ),
    ];
    expect(written.length).toBeGreaterThan(8);
    for (const text of written) expect(mistakeIn(text), text).toBeUndefined();
  });
});

describe("a policy of a web app", () => {
  test.each([
    'request.http.method == "GET" && request.http.host == "a" && request.http.path.startsWith("/a")',
    'request.http.query.a[0] == "b" || request.http.headers["User-Agent"] == "c" || request.http.remoteAddress != ""',
    'has(request.http.host) && user.sub == "a" && agent.clientID == "b" && token.claims.c == 1',
  ])("may read %s", (expression) => {
    expect(() => typeCheck(expression, "web")).not.toThrow();
  });

  test.each([
    ['request.mcp.app == "a"', '8: request has no member "mcp"; accepted: http'],
    ['!has(request.mcp) || request.http.path == "/"', '13: request has no member "mcp"; accepted: http'],
    ["request.http.form.a.size() == 1", '13: request.http has no member "form"'],
    ['request.http.hots == "a"', '13: request.http has no member "hots"; did you mean "host"?'],
    ['attributes.corp.email == "a"', "0: Unknown variable: attributes"],
  ])("may not read %s", (expression, mistake) => {
    const check = () => typeCheck(expression, "web");
    expect(check).toThrow(ExpressionError);
    try {
      check();
    } catch (cause) {
      expect(`${(cause as ExpressionError).offset}: ${(cause as ExpressionError).message}`).toContain(mistake);
    }
  });

  test("has a host where one of a tool has none", () => {
    expect(mistakeIn('request.http.host == "a"')).toContain('request.http has no member "host"');
  });
});
