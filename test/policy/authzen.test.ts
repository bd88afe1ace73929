import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AuthzenOptions, createAuthzenPolicy } from "../../lib/policy/authzen.ts";
import type { McpPolicyInput, PolicyInput } from "../../lib/policy/policy.ts";
import { type DecisionPoint, startDecisionPoint } from "../support/decision-point.ts";
import { policyInput } from "./input.ts";

/** The decision point is a small one from the specification's examples: no registry has one that runs by itself. */
let point: DecisionPoint;
beforeAll(async () => {
  point = await startDecisionPoint("/tenant1");
});
afterAll(() => point.stop());
const ALLOW = () => ({ decision: true });
beforeEach(() => point.decide(ALLOW));

let now = 0;
const policy = (options: Partial<AuthzenOptions> = {}) =>
  createAuthzenPolicy(
    { name: "pdp", pdp: point.pdp, timeout: 5_000, mapping: "default", list: false, ...options },
    { fetch: globalThis.fetch, clock: { now: () => now } },
  );
const decide = (options?: Partial<AuthzenOptions>, input: PolicyInput = policyInput()) => policy(options).decide(input);

const LIST = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]";
const ENDLESS = `$${LIST}.all(a, ${LIST}.all(b, ${LIST}.all(c, ${LIST}.all(d, a + b + c + d > 0))))`;
const declaring = (mapping: unknown): PolicyInput => ({
  ...policyInput({ arguments: { noteId: "1234", tags: ["a", "b"] } }),
  declaredMapping: () => mapping,
});

const WHO = { subject: { type: "identity", id: "a-person" }, context: { agent: "an-agent" } };

describe("an AuthZEN decision point", () => {
  test("is asked by the default mapping, without arguments", async () => {
    expect(await decide()).toEqual({ outcome: "allowed" });
    const resource = { type: "tool", id: "getNote", properties: { app: "notes" } };
    expect(point.asked.at(-1)).toEqual({
      path: "/tenant1/access/v1/evaluation",
      body: { ...WHO, action: { name: "tools/call" }, resource },
    });
  });

  test("gets the whole input where `mapping` is full, but not what connectors say", async () => {
    await decide({ mapping: "full" }, { ...policyInput(), attributes: { corp: { salary: 1 } } });
    const context = { agent: "an-agent", countersign: policyInput() };
    expect(point.asked.at(-1)?.body).toMatchObject({ context });
    expect(JSON.stringify(point.asked.at(-1)?.body)).not.toContain("salary");
  });

  test("gets what the tool declares where `mapping` is declared, and never another subject", async () => {
    const id = "an-agent";
    const evaluation = {
      subject: { type: "employee", id: "$token.sub", properties: { level: 5 } },
      action: { name: "$params.name" },
      resource: { type: "note", id: "$params.arguments.noteId" },
      context: {
        agent: "somebody else",
        price: "$$5",
        large: "$params.arguments.tags.size() > 1",
        none: "$token.?missing",
      },
    };
    expect(await decide({ mapping: "declared" }, declaring({ evaluation }))).toEqual({ outcome: "allowed" });
    const subject = { type: "employee", id: "a-person", properties: { level: 5 } };
    const resource = { type: "note", id: "1234" };
    const context = { price: "$5", large: true, agent: id };
    const [path, body] = ["/tenant1/access/v1/evaluation", { subject, action: { name: "getNote" }, resource, context }];
    expect(point.asked.at(-1)).toEqual({ path, body });
    for (const other of ["default", "full"] as const) {
      await decide({ mapping: other }, declaring({ evaluation }));
      expect(point.asked.at(-1)?.body).toMatchObject({ action: { name: "tools/call" } });
    }
    await decide({ mapping: "declared" });
    expect(point.asked.at(-1)?.body).toMatchObject({ action: { name: "tools/call" } });
  });

  test("decides on each of several evaluations that a tool declares, and all have to allow", async () => {
    const evaluations = {
      context: { agent: "$token.?client_id" },
      action: { name: "read" },
      evaluations: [
        { resource: { type: "note", id: "$params.arguments.noteId" } },
        { action: { name: "write" }, resource: { type: "note", id: "copy" }, context: { why: "copies" } },
      ],
    };
    const ask = () => decide({ mapping: "declared" }, declaring({ evaluations }));
    expect(await ask()).toEqual({ outcome: "allowed" });
    expect(point.asked.at(-1)).toEqual({
      path: "/tenant1/access/v1/evaluations",
      body: {
        subject: WHO.subject,
        evaluations: [
          { action: { name: "read" }, resource: { type: "note", id: "1234" }, context: { agent: "an-agent" } },
          {
            action: { name: "write" },
            resource: { type: "note", id: "copy" },
            context: { why: "copies", agent: "an-agent" },
          },
        ],
        options: { evaluations_semantic: "execute_all" },
      },
    });
    point.decide(({ action }) => ({ decision: action.name === "read", context: { reason_user: "Read only." } }));
    expect(await ask()).toEqual({ outcome: "denied", message: "Read only." });
    point.answer((response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"evaluations":[{"decision":true}]}'),
    );
    expect(await ask()).toEqual({ outcome: "failed", failure: "malformed_answer" });
  });

  const fine = { action: { name: "a" }, resource: { type: "t", id: "i" } };
  test.each<readonly [string, unknown]>([
    ["nothing", null],
    ["no envelope", fine],
    ["two envelopes", { evaluation: fine, evaluations: { evaluations: [fine] } }],
    ["another subject", { evaluation: { ...fine, subject: { id: "boss" } } }],
    ["a subject of the arguments", { evaluation: { ...fine, subject: { id: "$params.arguments.noteId" } } }],
    ["a subject in an entry", { evaluations: { evaluations: [{ ...fine, subject: { id: "$token.sub" } }] } }],
    ["no evaluations", { evaluations: { evaluations: [] } }],
    ["an unknown member", { evaluation: { ...fine, options: {} } }],
    ["no resource", { evaluation: { action: fine.action } }],
    [
      "a resource that is not there",
      { evaluation: { ...fine, resource: { type: "t", id: "$params.arguments.missing" } } },
    ],
    [
      "a resource that is optional",
      { evaluation: { ...fine, resource: { type: "t", id: "$params.arguments.?missing" } } },
    ],
    ["a number for an id", { evaluation: { ...fine, resource: { type: "t", id: "$1 + 1" } } }],
    [
      "an expression that no parser's stack holds",
      { evaluation: { ...fine, context: { x: `$${"!".repeat(20_000)}true` } } },
    ],
    ["what is no expression", { evaluation: { ...fine, context: { x: "$)" } } }],
    ["a pattern that is none", { evaluation: { ...fine, context: { x: "$token.sub.matches('(')" } } }],
    ["far too much", { evaluation: { ...fine, context: { x: Array.from({ length: 500 }, () => "y") } } }],
    ["many expressions", { evaluation: { ...fine, context: { x: Array.from({ length: 21 }, () => "$token.sub") } } }],
    ["an expression that takes for ever", { evaluation: { ...fine, context: { x: ENDLESS } } }],
  ])("is not asked where a tool declares %s: the call is denied", async (_, mapping) => {
    const before = point.asked.length;
    expect(await decide({ mapping: "declared" }, declaring(mapping))).toEqual({
      outcome: "failed",
      failure: "mapping_error",
    });
    expect(point.asked.length).toBe(before);
  });

  test("gets the token that is configured for it", async () => {
    await decide({ token: "of-the-gateway" });
    expect(point.asked.at(-1)?.authorization).toBe("Bearer of-the-gateway");
  });

  const mcp = (changes: Partial<McpPolicyInput["request"]["mcp"]>) => {
    const { request, ...input } = policyInput();
    const { tool: _, ...rest } = request.mcp;
    const token = { claims: { ...input.token.claims, aud: "https://gateway.example/mcp" } };
    return { ...input, token, request: { ...request, mcp: { ...rest, ...changes } } };
  };
  const web = { ...policyInput(), request: { http: { method: "GET", host: "app.example", path: "/reports" } } };
  test.each<readonly [string, PolicyInput, string, object]>([
    [
      "a resource",
      mcp({ method: "resources/read", resource: { uri: "file:///a" } }),
      "resources/read",
      { type: "resource", id: "file:///a" },
    ],
    [
      "a prompt",
      mcp({ method: "prompts/get", prompt: { params: { name: "monthEnd" } } }),
      "prompts/get",
      { type: "prompt", id: "monthEnd" },
    ],
    [
      "a list",
      mcp({ method: "resources/list" }),
      "resources/list",
      { type: "mcp_server", id: "https://gateway.example/mcp" },
    ],
    ["a web app", web, "GET", { type: "route", id: "/reports", properties: { host: "app.example" } }],
  ])("is asked about %s", async (_, input, action, resource) => {
    expect(await decide({}, input)).toEqual({ outcome: "allowed" });
    expect(point.asked.at(-1)?.body).toMatchObject({ ...WHO, action: { name: action }, resource });
  });

  const nobody: PolicyInput = { ...policyInput(), user: {}, token: { claims: {} } };
  test.each<readonly [string, PolicyInput, object]>([
    ["nobody is known", nobody, { outcome: "failed", failure: "no_subject" }],
    ["the mapping does not know the method", mcp({ method: "vendor/wipe" }), { outcome: "denied" }],
    [
      "the token is for several servers",
      { ...mcp({ method: "prompts/list" }), token: { claims: { sub: "a-person", aud: ["a", "b"] } } },
      { outcome: "failed", failure: "no_audience" },
    ],
  ])("is not asked where %s", async (_, input, decision) => {
    const before = point.asked.length;
    expect(await decide({}, input)).toEqual(decision);
    expect(point.asked).toHaveLength(before);
  });

  test.each([
    ["true, with obligations", { decision: true, context: { any: "thing" } }, { outcome: "allowed" }],
    ["false", { decision: false }, { outcome: "denied" }],
    [
      "false, with a reason",
      { decision: false, context: { reason_admin: { 403: "policy C076" }, reason_user: { 403: "Only on weekdays." } } },
      { outcome: "denied", message: "Only on weekdays." },
    ],
    ["a text reason", { decision: false, context: { reason_user: "no" } }, { outcome: "denied", message: "no" }],
    ["a reason that is no text", { decision: false, context: { reason_user: [1] } }, { outcome: "denied" }],
    ["text", { decision: "true" }, { outcome: "failed", failure: "malformed_answer" }],
    ["a number", { decision: 1 }, { outcome: "failed", failure: "malformed_answer" }],
    ["nothing", {}, { outcome: "failed", failure: "malformed_answer" }],
    ["a list", [{ decision: true }], { outcome: "failed", failure: "malformed_answer" }],
  ])("decides with %s", async (_, answer, decision) => {
    point.decide(() => answer);
    expect(await decide()).toEqual(decision);
  });

  test("tells the agent no more than a short text", async () => {
    point.decide(() => ({ decision: false, context: { reason_user: "a".repeat(100_000) } }));
    expect(await decide()).toEqual({ outcome: "denied", message: "a".repeat(1_000) });
  });
});

describe("what a decision point says of lists", () => {
  const input = () => {
    const { request, ...rest } = policyInput();
    const tools = ["getNote", "deleteNote"].map((name) => ({ params: { name } }));
    const { tool: _, ...mcp } = request.mcp;
    return { ...rest, request: { ...request, mcp: { ...mcp, method: "tools/list", tools } } };
  };

  test("is asked in one request, and names the tools that may be called", async () => {
    point.decide(({ resource }) => ({ decision: resource.id === "getNote" }));
    expect(await policy({ list: true }).list(input())).toEqual(new Set(["getNote"]));
    const resources = ["getNote", "deleteNote"].map((id) => ({
      resource: { type: "tool", id, properties: { app: "notes" } },
    }));
    expect(point.asked.at(-1)).toMatchObject({
      path: "/tenant1/access/v1/evaluations",
      body: { ...WHO, action: { name: "tools/call" }, evaluations: resources },
    });
  });

  test.each([
    ["one answer too few", '{"evaluations": [{"decision": true}]}'],
    ["a decision that is none", '{"evaluations": [{"decision": true}, {"decision": "true"}]}'],
    ["a single decision", '{"decision": true}'],
  ])("%s hides all", async (_, body) => {
    point.answer((response) => response.end(body));
    expect(await policy({ list: true }).list(input())).toEqual({ outcome: "failed", failure: "malformed_answer" });
  });
});

describe("the metadata of a decision point", () => {
  test("name its endpoints, and are read once in ten minutes", async () => {
    point.decide(ALLOW, { policy_decision_point: point.pdp, access_evaluation_endpoint: `${point.pdp}/v7/decide` });
    const one = policy();
    const before = point.metadataRequests();
    await one.decide(policyInput());
    await one.decide(policyInput());
    expect(point.asked.at(-1)?.path).toBe("/tenant1/v7/decide");
    expect(point.metadataRequests()).toBe(before + 1);
    now += 10 * 60_000;
    await one.decide(policyInput());
    expect(point.metadataRequests()).toBe(before + 2);
  });

  test.each([
    [
      "of another",
      (pdp: string) => ({ policy_decision_point: `${pdp}2`, access_evaluation_endpoint: pdp }),
      "metadata_of_another",
    ],
    ["without an endpoint", (pdp: string) => ({ policy_decision_point: pdp }), "malformed_metadata"],
    [
      "with an endpoint that is no address",
      (pdp: string) => ({ policy_decision_point: pdp, access_evaluation_endpoint: "/decide" }),
      "malformed_metadata",
    ],
  ])("%s are not used", async (_, metadata, failure) => {
    point.decide(ALLOW, metadata(point.pdp));
    expect(await decide()).toEqual({ outcome: "failed", failure });
  });
});

describe("a decision point that does not decide denies", () => {
  const allowing = '{"decision": true}';
  test.each<readonly [string, (response: ServerResponse) => unknown, string]>([
    ["with an error", (response) => response.writeHead(500).end(allowing), "status_500"],
    ["that does not know the gateway", (response) => response.writeHead(401).end(allowing), "status_401"],
    ["with a redirect", (response) => response.writeHead(307, { location: "/" }).end(allowing), "status_307"],
    ["with what is no JSON", (response) => response.end("yes"), "malformed_answer"],
    ["by hanging up", (response) => response.destroy(), "unreachable"],
  ])("%s", async (_, respond, failure) => {
    point.answer(respond);
    expect(await decide()).toEqual({ outcome: "failed", failure });
  });

  test("by taking too long, or by not being there", async () => {
    point.answer(() => undefined);
    expect(await decide({ timeout: 50 })).toEqual({ outcome: "failed", failure: "timeout" });
    expect(await decide({ pdp: "http://127.0.0.1:9" })).toEqual({ outcome: "failed", failure: "unreachable" });
  });
});
