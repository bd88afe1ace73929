import { describe, expect, test } from "vitest";
import { GivenUp } from "../../lib/kernel/cancellation.ts";
import { failureOf } from "../../lib/upstream/failure-of.ts";
import { UpstreamRefusal } from "../../lib/upstream/refusal.ts";

const failure = (status: number, error?: object) =>
  failureOf(new UpstreamRefusal({ status, error }), { app: { timeout: 1 }, signal: new AbortController().signal });

describe("what an upstream refuses", () => {
  test("goes on to the agent as the upstream's own error", () => {
    const error = { code: -32602, message: "no such tool" };
    expect(failure(400, error)).toMatchObject({
      outcome: "upstream_error",
      reason: "error_-32602",
      error,
      status: 400,
    });
  });
  test.each([
    [401, { code: -32000, message: "who are you?" }],
    [403, { code: -32000, message: "not you" }],
    // Agents begin their own sessions anew at this code.
    [404, { code: -32001, message: "Session not found" }],
  ])("with %d for what is the gateway's alone is not taken for the agent's", (status, error) => {
    const said = failure(status, error);
    expect(said).toMatchObject({ outcome: "upstream_error", reason: `http_${status}` });
    expect(said).not.toHaveProperty("error");
    expect(said).not.toHaveProperty("status");
    expect(said?.text).not.toContain(error.message);
  });
  test.each([
    [502, true],
    [504, true],
    [520, true],
    [522, true],
    [503, false],
    [521, false],
    [530, false],
  ])("with %d by what is in front of it says so, and when the call may have got through", (status, mayHave) => {
    const { reason, text = "" } = failure(status) ?? {};
    expect(reason).toBe(`http_${status}`);
    expect(text).toContain(`did not answer; what is in front of it did, with the HTTP status ${status}.`);
    expect(text.includes("Before you repeat the call")).toBe(mayHave);
  });
});

test.each([
  ["cancelled_by_client", "cancelled_by_client"],
  [new GivenUp("cancelled_by_client", "The user closed the page."), "cancelled_by_client"],
  [undefined, "agent_left"],
])("what an agent gives up is recorded with why, never with what it said: %s", (given, reason) => {
  const signal = AbortSignal.abort(given);
  const failed = failureOf(new Error("aborted"), { app: { timeout: 1 }, signal });
  expect(failed).toEqual({ outcome: "cancelled", reason, text: "The call was cancelled." });
});
