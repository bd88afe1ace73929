import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createOpaPolicy, type OpaOptions } from "../../lib/policy/opa.ts";
import { type Opa, startOpa } from "../support/opa.ts";
import { policyInput } from "./input.ts";

let opa: Opa;
beforeAll(async () => {
  opa = await startOpa();
});
afterAll(() => opa.stop());
beforeEach(() => opa.decide(() => true));

const policy = (options: Partial<OpaOptions> = {}) =>
  createOpaPolicy(
    { name: "opa", url: opa.url, timeout: 5_000, forwardToken: false, list: false, ...options },
    globalThis.fetch,
  );
const decide = (options?: Partial<OpaOptions>) => policy(options).decide(policyInput());

describe("an OPA policy", () => {
  test("is asked with the input, and is what its document says", async () => {
    opa.decide(({ user, request }) => user.sub === "a-person" && request.mcp.tool?.params.name === "getNote");
    expect(await decide()).toEqual({ outcome: "allowed" });
    expect(opa.inputs.at(-1)).toEqual(policyInput());
  });

  test("63. is not told what connectors say of a person", async () => {
    opa.decide(() => true);
    const input = { ...policyInput(), attributes: { corp: { salary: 1 } } };
    expect(await policy().decide(input)).toEqual({ outcome: "allowed" });
    expect(opa.inputs.at(-1)).toEqual(policyInput());
  });

  test.each([
    ["true", true, { outcome: "allowed" }],
    ["false", false, { outcome: "denied" }],
    ["allowed", { allowed: true, external_message: "why?" }, { outcome: "allowed" }],
    ["not allowed", { allowed: false }, { outcome: "denied" }],
    ["not allowed, with a reason", { allowed: false, external_message: "no" }, { outcome: "denied", message: "no" }],
    ["not allowed, with no text", { allowed: false, external_message: 7 }, { outcome: "denied" }],
    ["nothing", undefined, { outcome: "failed", failure: "undefined_decision" }],
    ["null", null, { outcome: "failed", failure: "malformed_answer" }],
    ["a text", "true", { outcome: "failed", failure: "malformed_answer" }],
    ["a number", 1, { outcome: "failed", failure: "malformed_answer" }],
    ["something else", { allow: true }, { outcome: "failed", failure: "malformed_answer" }],
    ["a text for a boolean", { allowed: "true" }, { outcome: "failed", failure: "malformed_answer" }],
    ["a list", [true], { outcome: "failed", failure: "malformed_answer" }],
  ])("whose document is %s", async (_, result, decision) => {
    opa.decide(() => result);
    expect(await decide()).toEqual(decision);
  });

  test("tells the agent no more than a short text", async () => {
    opa.decide(() => ({ allowed: false, external_message: "a".repeat(100_000) }));
    expect(await decide()).toEqual({ outcome: "denied", message: "a".repeat(1_000) });
  });
});

describe("an OPA server that does not decide denies", () => {
  const allowing = '{"result": true}';
  const answers: readonly (readonly [string, (response: ServerResponse) => unknown, string])[] = [
    ["with an error", (response) => response.writeHead(500).end(allowing), "status_500"],
    ["with another success", (response) => response.writeHead(201).end(allowing), "status_201"],
    ["with a redirect", (response) => response.writeHead(307, { location: opa.url }).end(allowing), "status_307"],
    ["with what is no JSON", (response) => response.end("true"), "malformed_answer"],
    ["with half an answer", (response) => response.end(allowing.slice(0, -1)), "malformed_answer"],
    ["with a list", (response) => response.end(`[${allowing}]`), "malformed_answer"],
    [
      "with a huge answer",
      (response) => response.end(`{"result": true, "a": "${"a".repeat(2_000_000)}"}`),
      "malformed_answer",
    ],
    ["by hanging up", (response) => response.destroy(), "unreachable"],
  ];

  test.each(answers)("%s", async (_, respond, failure) => {
    opa.answer(respond);
    expect(await decide()).toEqual({ outcome: "failed", failure });
  });

  test("by taking too long, to answer or to end its answer", async () => {
    opa.answer(() => undefined);
    expect(await decide({ timeout: 50 })).toEqual({ outcome: "failed", failure: "timeout" });
    opa.answer((response) => response.write(allowing));
    expect(await decide({ timeout: 50 })).toEqual({ outcome: "failed", failure: "timeout" });
  });

  test("by not being there", async () => {
    expect(await decide({ url: "http://127.0.0.1:9/v1/data/gateway/result" })).toEqual({
      outcome: "failed",
      failure: "unreachable",
    });
  });
});

describe("an OPA policy that lists", () => {
  test.each([
    ["names", { allowed: ["getNote"] }, new Set(["getNote"])],
    ["names alone", ["getNote"], new Set(["getNote"])],
    ["no names", { allowed: [] }, new Set()],
    ["all", true, { outcome: "allowed" }],
    ["none", { allowed: false }, { outcome: "denied" }],
    ["no list of names", { allowed: [1] }, { outcome: "failed", failure: "malformed_answer" }],
    ["nothing", undefined, { outcome: "failed", failure: "undefined_decision" }],
  ])("%s", async (_, result, listed) => {
    opa.decide(() => result);
    expect(await policy({ list: true }).list(policyInput())).toEqual(listed);
  });
});
