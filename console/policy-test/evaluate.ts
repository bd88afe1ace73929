import type { JsonObject } from "../../lib/kernel/json.ts";
import { compileCel } from "../../lib/policy/cel/compile.ts";
import { ExpressionError } from "../../lib/policy/cel/syntax.ts";
import { typeCheck } from "../../lib/policy/cel/type-check.ts";
import type { Decision, Policy, PolicyInput } from "../../lib/policy/policy.ts";
import { PlanError } from "../../lib/policy/rego/plan.ts";
import { createRegoPolicy } from "../../lib/policy/rego/policy.ts";
import { celValue, type Reads, regoValue } from "./partial.ts";
import type { Mistake, PolicySource, Verdict } from "./protocol.ts";

/** What is decided about: a recorded call, or an input that a person writes. */
export type About = "record" | "written";

/** A policy that is ready to be evaluated. */
export interface Evaluator {
  /**
   * @param input as `PolicyInput`, of which a `Partial` knows not everything
   * @param time milliseconds since the epoch
   */
  decide(input: Readonly<Record<string, unknown>>, time: number): Promise<Verdict>;
}

/**
 * Compiles a policy as the gateway does, or says why it cannot be.
 *
 * @param about of records, no token is known: a policy that is shown one reads what is not there, and nothing is said of it beforehand
 */
export function evaluatorOf(source: PolicySource, about: About): Evaluator | { readonly mistake: Mistake } {
  if (source.language === "none") return { decide: async () => ({ outcome: "allowed" }) };
  if (source.language === "cel") {
    const mistake = expressionMistake(source.text);
    return mistake === undefined ? evaluating(compileCel(source.text, "cel"), celValue) : { mistake };
  }
  let now = 0;
  try {
    const { language: _, opaqueTokens = "deny", ...settings } = source;
    const policy = createRegoPolicy({
      ...settings,
      ...{ name: "opa", now: () => now, opaqueTokens: about === "record" ? "evaluate" : opaqueTokens },
    });
    const evaluator = evaluating(policy, regoValue);
    return {
      decide: (input, time) => {
        now = time;
        return evaluator.decide(input, time);
      },
    };
  } catch (cause) {
    if (cause instanceof PlanError) return { mistake: { message: cause.message } };
    throw cause;
  }
}

/** What is wrong with an expression about the use of a tool, at its line and column. */
export function expressionMistake(text: string): Mistake | undefined {
  try {
    compileCel(text, "cel");
    typeCheck(text, "tool");
    return undefined;
  } catch (cause) {
    // The library has bounds of its own, but not for everything: a thousand `!` in a row use up the stack.
    if (!(cause instanceof ExpressionError)) return { message: "It is nested too deeply; accepted: a shorter one." };
    const lines = text.slice(0, cause.offset).split("\n");
    return { message: cause.message, at: { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 } };
  }
}

function evaluating(policy: Policy, valueFor: (value: unknown, reads: Reads) => unknown): Evaluator {
  return {
    decide: async (input) => {
      const reads: Reads = new Set();
      const shown = Object.fromEntries(Object.entries(input).map(([name, value]) => [name, valueFor(value, reads)]));
      const decision = await policy.decide(shown as unknown as PolicyInput);
      return verdictOf(decision, reads, policy.decidesOnListing);
    },
  };
}

/** A decision is one whatever was read on the way: `false && x` is false for every `x`. An error may be that of what is not known. */
function verdictOf(decision: Decision, reads: Reads, hides: boolean): Verdict {
  switch (decision.outcome) {
    case "allowed":
      return { outcome: "allowed" };
    case "denied":
      return { outcome: "denied", hides, ...(decision.message !== undefined && { message: decision.message }) };
    case "failed":
      return reads.size > 0
        ? { outcome: "unknown", reads: [...reads].toSorted() }
        : { outcome: "error", failure: decision.failure, hides };
  }
}

/** An input that a person wrote. Throws with a reason for people. */
export function writtenInput(text: string): JsonObject {
  const input = parsed(text);
  const missing = ["request", "user", "agent", "token"].filter((name) => !isObject(input[name]));
  if (missing.length > 0) {
    throw new Error(`The input has no mapping ${missing.join(", ")}; accepted: request, user, agent and token.`);
  }
  const { request, token } = input as Readonly<Record<string, JsonObject>>;
  const { http } = request as JsonObject;
  if (!isObject((token as JsonObject).claims)) throw new Error("The input has no mapping token.claims.");
  // There is always one, with what is known of the request.
  return isObject(http) ? input : { ...input, request: { ...request, http: {} } };
}

function parsed(text: string): JsonObject {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (cause) {
    throw new Error(`The input is no JSON: ${(cause as Error).message}`, { cause });
  }
  if (isObject(input)) return input;
  throw new Error("The input is not one JSON object.");
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
