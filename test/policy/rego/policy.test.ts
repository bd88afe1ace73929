import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import type { LocalPolicy, Policy } from "../../../lib/policy/policy.ts";
import { SERVED_BUILTINS } from "../../../lib/policy/rego/builtins/table.ts";
import { evaluate, prepareData, preparePlan } from "../../../lib/policy/rego/evaluate.ts";
import { createRegoPolicy, type RegoOptions } from "../../../lib/policy/rego/policy.ts";
import { STATEMENT_KINDS } from "../../../lib/policy/rego/statements.ts";
import { jsonText } from "../../../lib/policy/rego/value.ts";
import { policyInput } from "../input.ts";
import { DATA, readPlan } from "./documents.ts";

const ENTRYPOINT = "orchestrator/result";
const NOW = Date.UTC(2026, 2, 1);

function made(plan: unknown, options: Partial<RegoOptions> = {}): Policy {
  return createRegoPolicy({
    name: "rego",
    plan,
    data: DATA,
    forwardToken: false,
    list: false,
    now: () => NOW,
    ...options,
  });
}

/** One that checks no signatures, and so decides here and now. */
function policy(plan: unknown, options: Partial<RegoOptions> = {}): LocalPolicy {
  const local = made(plan, options);
  if (local.cost !== "local") throw new Error("the policy waits for WebCrypto");
  return local;
}

/** A plan whose only rule is what the statements leave in local 2. */
function planOf(stmts: readonly unknown[], strings: readonly string[] = [], name = ENTRYPOINT) {
  const at = { file: 0, row: 1, col: 1 };
  const end = [
    { type: "MakeObjectStmt", stmt: { target: 9, ...at } },
    { type: "ObjectInsertStmt", stmt: { key: text(0), value: local(2), object: 9, ...at } },
    { type: "ResultSetAddStmt", stmt: { value: 9, ...at } },
  ];
  return {
    static: {
      strings: ["result", ...strings].map((value) => ({ value })),
      builtin_funcs: [],
      files: [{ value: "policy.rego" }],
    },
    plans: { plans: [{ name, blocks: [{ stmts: [...stmts, ...end] }] }] },
    funcs: { funcs: [] as unknown[] },
  };
}

const local = (value: number) => ({ type: "local", value });
const text = (value: number) => ({ type: "string_index", value });
const bool = (value: boolean) => ({ type: "bool", value });
const assign = (source: unknown, target = 2) => ({ type: "AssignVarStmt", stmt: { source, target } });
const call = (func: string, args: readonly unknown[] = [], result = 2) => ({
  type: "CallStmt",
  stmt: { func, args, result },
});
/** A document that has `allowed` and `external_message`, of strings 1 and 2. */
const document = (allowed: unknown, message: unknown) => [
  { type: "MakeObjectStmt", stmt: { target: 2 } },
  { type: "ObjectInsertStmt", stmt: { key: text(1), value: allowed, object: 2 } },
  { type: "ObjectInsertStmt", stmt: { key: text(2), value: message, object: 2 } },
];

describe("a policy in Rego", () => {
  test("decides by the caller, the tool and its data", () => {
    const roles = policy(readPlan("roles"));
    expect(roles.decide(policyInput())).toEqual({ outcome: "allowed" });
    expect(roles.decide(policyInput({ name: "createPayment" }))).toEqual({
      outcome: "denied",
      message: "createPayment needs one of: treasurer",
    });
    expect(roles.decide(policyInput({ name: "other" }))).toEqual({ outcome: "denied" });
  });

  test.each([
    [{ amount: 999.99, currency: "EUR" }, "denied"],
    [{ amount: 950, currency: "EUR", to: "NL1" }, "allowed"],
    [{ amount: "950", currency: "EUR", to: "NL1" }, "allowed"],
    [{ amount: 950.0000001, currency: "EUR", to: "NL1" }, "denied"],
    [{ amount: 1, currency: "EUR", to: "RU1" }, "denied"],
    [{ amount: 1, currency: "EUR", to: "NL12TEST" }, "denied"],
    [{ amount: 1, currency: "GBP", to: "NL1" }, "denied"],
    [{}, "denied"],
  ])("decides by the arguments %j", (given, outcome) => {
    const amounts = policy(readPlan("amounts"));
    expect(amounts.decide(policyInput({ name: "createPayment", arguments: given })).outcome).toBe(outcome);
  });

  test.each([
    ["true", [assign(bool(true))], { outcome: "allowed" }],
    ["false", [assign(bool(false))], { outcome: "denied" }],
    ["allowed", document(bool(true), text(3)), { outcome: "allowed" }],
    ["not allowed, with a reason", document(bool(false), text(3)), { outcome: "denied", message: "no" }],
    ["not allowed, with no text", document(bool(false), bool(true)), { outcome: "denied" }],
    ["undefined", [{ type: "BreakStmt", stmt: { index: 0 } }], { outcome: "failed", failure: "undefined_decision" }],
    ["null", [{ type: "MakeNullStmt", stmt: { target: 2 } }], { outcome: "failed", failure: "malformed_answer" }],
    ["a text", [assign(text(1))], { outcome: "failed", failure: "malformed_answer" }],
    [
      "a list",
      [{ type: "MakeArrayStmt", stmt: { capacity: 0, target: 2 } }],
      { outcome: "failed", failure: "malformed_answer" },
    ],
    ["a text for a boolean", document(text(3), text(3)), { outcome: "failed", failure: "malformed_answer" }],
    [
      "in conflict",
      [bool(true), bool(false)].map((source) => ({ type: "AssignVarOnceStmt", stmt: { source, target: 2 } })),
      { outcome: "failed", failure: "conflict" },
    ],
  ])("whose document is %s", (_, stmts, decision) => {
    const made = policy(planOf(stmts, ["allowed", "external_message", "no"]));
    expect(made.decide(policyInput())).toEqual(decision);
  });

  test("tells the agent no more than a short text", () => {
    const made = policy(planOf(document(bool(false), text(3)), ["allowed", "external_message", "a".repeat(100_000)]));
    expect(made.decide(policyInput())).toEqual({ outcome: "denied", message: "a".repeat(1_000) });
  });

  test("63. is not told what connectors say of a person, nor the caller's token without being asked to", () => {
    const reading = (names: readonly string[]) =>
      names.map((_, index) => ({
        type: "DotStmt",
        stmt: { source: local(index === 0 ? 0 : 2), key: text(index + 1), target: 2 },
      }));
    const is = [{ type: "IsDefinedStmt", stmt: { source: 2 } }, assign(bool(true))];
    const decide = (names: readonly string[], options: Partial<RegoOptions> = {}) => {
      const { request, ...others } = policyInput();
      const headers = { ...request.http.headers, Authorization: "Bearer secret" };
      const input = { ...others, request: { ...request, http: { ...request.http, headers } } };
      const attributes = { corp: { salary: 1 } };
      return policy(planOf([...reading(names), ...is], names), options).decide({ ...input, attributes }).outcome;
    };
    expect(decide(["user", "sub"])).toBe("allowed");
    expect(decide(["attributes"])).toBe("failed");
    expect(decide(["request", "http", "headers", "Authorization"])).toBe("failed");
    expect(decide(["request", "http", "headers", "User-Agent"])).toBe("allowed");
    expect(decide(["request", "http", "headers", "Authorization"], { forwardToken: true })).toBe("allowed");
  });

  test("says what it asks for", () => {
    const plan = planOf([assign(bool(true))]);
    expect(policy(plan)).toMatchObject({ cost: "local", name: "rego", decidesOnListing: false, seesToken: false });
    expect(policy(plan, { list: true, forwardToken: true })).toMatchObject({ decidesOnListing: true, seesToken: true });
  });

  test("takes the only entrypoint, or orchestrator/result, or the one that is asked for", () => {
    const [one, other] = [planOf([assign(bool(true))], [], "a/b"), planOf([assign(bool(false))])];
    const both = { ...one, plans: { plans: [...one.plans.plans, ...other.plans.plans] } };
    expect(policy(one).decide(policyInput())).toEqual({ outcome: "allowed" });
    expect(policy(both).decide(policyInput())).toEqual({ outcome: "denied" });
    expect(policy(both, { entrypoint: "a/b" }).decide(policyInput())).toEqual({ outcome: "allowed" });
    expect(() => policy(one, { entrypoint: "c" })).toThrow('the plan has no entrypoint "c"; it has "a/b"');
  });

  test("sees one time in one evaluation, and what it prints goes where it is told", () => {
    const plan = planOf(
      [call("time.now_ns", [], 3), call("time.now_ns", [], 4), equal(3, 4), call("trace", [text(1)])],
      ["hi"],
    );
    const said: string[] = [];
    expect(policy(plan, { print: (message) => said.push(message) }).decide(policyInput())).toEqual({
      outcome: "allowed",
    });
    expect(said).toEqual(["hi"]);
  });
});

const equal = (a: number, b: number) => ({ type: "EqualStmt", stmt: { a: local(a), b: local(b) } });

describe("a plan is refused with what is wrong and where", () => {
  const one = (stmt: unknown) => planOf([stmt]);
  const at = "plans.plans[0].blocks[0].stmts[0]";
  test.each([
    ["a text", "plan", 'the plan is no object with "plans"'],
    ["no entrypoint", { ...one(assign(bool(true))), plans: { plans: [] } }, "the plan has no entrypoint"],
    [
      "an unknown statement",
      one({ type: "JumpStmt", stmt: {} }),
      `${at} is a statement of the unknown type "JumpStmt"`,
    ],
    [
      "an inherited name for one",
      one({ type: "toString", stmt: {} }),
      `${at} is a statement of the unknown type "toString"`,
    ],
    ["no statement", one({ type: "NopStmt" }), `${at}.stmt is missing or no object`],
    ["no local", one(assign(bool(true), -1)), `${at}.stmt.target is no local variable`],
    ["a huge local", one(assign(bool(true), 1e9)), `${at}.stmt.target is no local variable`],
    ["no operand", one(assign({ type: "float", value: 1 })), `${at}.stmt.source is no operand`],
    ["no string", one(assign(text(7))), `${at}.stmt.source.value is no index of static.strings`],
    [
      "an unknown function",
      one(call("g0.data.other")),
      "not served: g0.data.other; there is no implementation of it here",
    ],
    ["http.send", one(call("http.send", [local(0)])), "not served: http.send; a decision depends on its input"],
    ["opa.runtime", one(call("opa.runtime")), "not served: opa.runtime; a decision depends on its input"],
    ["rand.intn", one(call("rand.intn")), "not served: rand.intn; a decision depends on its input"],
    [
      "a signature that it would make",
      one(call("io.jwt.encode_sign")),
      "not served: io.jwt.encode_sign; a policy signs nothing",
    ],
  ])("%s", (_, plan, message) => {
    expect(() => preparePlan(plan)).toThrow(message);
  });

  test("every kind of statement is served", () => {
    expect(STATEMENT_KINDS).toHaveLength(34);
    expect(SERVED_BUILTINS).toContain("regex.match");
  });
});

const WORST = join(import.meta.dirname, "worst");

describe("the worst policies end by their budget", () => {
  const plans = readdirSync(WORST).filter((file) => file.endsWith(".plan"));
  test.each(plans)("%s", (file) => {
    const plan = JSON.parse(readFileSync(join(WORST, file), "utf8"));
    const decision = policy(plan, { data: {} }).decide(policyInput());
    expect(decision).toEqual({ outcome: "failed", failure: "too_many_steps" });
  });

  test("a function that calls itself ends, too", () => {
    const params = [0, 1];
    const body = [call("f", [local(0), local(1)])];
    const plan = planOf([call("f", [local(0), local(1)])]);
    plan.funcs.funcs.push({ name: "f", params, return: 2, blocks: [{ stmts: body }], path: ["g0", "f"] });
    expect(policy(plan).decide(policyInput())).toEqual({ outcome: "failed", failure: "too_many_steps" });
  });

  test("an input that is nested deeply is an error and nothing else", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    const decision = policy(readPlan("arguments")).decide(policyInput({ arguments: { nested: deep } }));
    expect(decision.outcome).toBe("failed");
  });
});

describe("signatures by public keys", () => {
  /** Allows a token of the key, for `orders`. */
  const checking = (token: string, keys: unknown) => {
    const plan = planOf(
      [
        { type: "MakeObjectStmt", stmt: { target: 3 } },
        { type: "ObjectInsertStmt", stmt: { key: text(1), value: text(2), object: 3 } },
        { type: "ObjectInsertStmt", stmt: { key: text(3), value: text(4), object: 3 } },
        call("trace", [text(6)], 6),
        call("io.jwt.decode_verify", [text(5), local(3)], 4),
        { type: "MakeNumberIntStmt", stmt: { value: 0, target: 5 } },
        { type: "DotStmt", stmt: { source: local(4), key: local(5), target: 2 } },
      ],
      ["cert", typeof keys === "string" ? keys : JSON.stringify(keys), "aud", "orders", token, "looks"],
    );
    return { ...plan, static: { ...plan.static, builtin_funcs: [{ name: "io.jwt.decode_verify" }] } };
  };
  const tokenBy = (key: CryptoKey, claims: JWTPayload = { aud: "orders" }) =>
    new SignJWT(claims).setProtectedHeader({ alg: "RS256" }).sign(key);

  test("a token is allowed whose key, audience and time are right, and the policy says what it says once", async () => {
    const [{ publicKey, privateKey }, other] = [await generateKeyPair("RS256"), await generateKeyPair("RS256")];
    const keys = { keys: [await exportJWK(other.publicKey), await exportJWK(publicKey)] };
    const said: string[] = [];
    const decide = async (token: string, given: unknown = keys) =>
      made(checking(token, given), { print: (message) => said.push(message) }).decide(policyInput());
    expect(await decide(await tokenBy(privateKey))).toEqual({ outcome: "allowed" });
    expect(said).toEqual(["looks"]);
    expect(await decide(await tokenBy(privateKey), await exportSPKI(publicKey))).toEqual({ outcome: "allowed" });
    const seconds = NOW / 1_000;
    for (const claims of [{ aud: "other" }, {}, { aud: "orders", exp: seconds }, { aud: "orders", nbf: seconds + 1 }])
      expect(await decide(await tokenBy(privateKey, claims))).toEqual({ outcome: "denied" });
    const stranger = await generateKeyPair("RS256");
    expect(await decide(await tokenBy(stranger.privateKey))).toEqual({ outcome: "denied" });
    // The public key as a shared secret (RFC 8725 §2.1).
    const forged = new SignJWT({ aud: "orders" }).setProtectedHeader({ alg: "HS256" });
    const secret = new TextEncoder().encode(await exportSPKI(publicKey));
    expect(await decide(await forged.sign(secret), await exportSPKI(publicKey))).toEqual({ outcome: "denied" });
    expect(await decide(await tokenBy(privateKey), "no keys")).toEqual({
      outcome: "failed",
      failure: "undefined_decision",
    });
  });

  test("more than 20 checks end the decision", async () => {
    const [{ privateKey }, other] = [await generateKeyPair("RS256"), await generateKeyPair("RS256")];
    const jwk = await exportJWK(other.publicKey);
    const keys = Array.from({ length: 21 }, (_, index) => ({ ...jwk, kid: String(index) }));
    const plan = checking(await tokenBy(privateKey), { keys });
    expect(await made(plan).decide(policyInput())).toEqual({ outcome: "failed", failure: "too_many_steps" });
    const others = Array.from({ length: 21 }, (_, index) => ({
      kty: "EC",
      crv: "P-256",
      x: "a",
      y: "b",
      kid: `e${index}`,
    }));
    const ofAnotherType = checking(await tokenBy(privateKey), { keys: [...others, ...keys.slice(1)] });
    expect(await made(ofAnotherType).decide(policyInput())).toEqual({ outcome: "denied" });
    const fewer = checking(await tokenBy(privateKey), { keys: keys.slice(1) });
    expect(await made(fewer).decide(policyInput())).toEqual({ outcome: "denied" });
  });

  test("such a policy is asked after those that decide here, and shows a list tool by tool", async () => {
    const { publicKey, privateKey } = await generateKeyPair("RS256");
    const it = made(checking(await tokenBy(privateKey), { keys: [await exportJWK(publicKey)] }), { list: true });
    if (it.cost === "local") throw new Error("it does not wait");
    const input = policyInput();
    const mcp = { ...input.request.mcp, tools: [{ params: { name: "getNote" } }, { params: { name: "createNote" } }] };
    expect(await it.list({ ...input, request: { ...input.request, mcp } })).toEqual(new Set(["getNote", "createNote"]));
  });
});

test("values have names of members that JavaScript gives a meaning", () => {
  const plan = planOf([{ type: "DotStmt", stmt: { source: local(0), key: text(1), target: 2 } }], ["__proto__"]);
  const prepared = preparePlan(plan);
  const results = (input: unknown) => {
    const evaluation = evaluate(prepared, input, prepareData({}), { entrypoint: ENTRYPOINT });
    return "error" in evaluation ? evaluation.error.code : evaluation.results.map(jsonText);
  };
  expect(results({})).toEqual([]);
  expect(results(JSON.parse('{"__proto__": {"constructor": 1}}'))).toEqual(['{"result":{"constructor":1}}']);
});
