import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AccessApproval, AccessRequest } from "../../lib/policy/access-request.ts";
import { type AuthzenOptions, createAuthzenPolicy } from "../../lib/policy/authzen.ts";
import type { PolicyInput } from "../../lib/policy/policy.ts";
import { type AccessRequestService, startAccessRequestService } from "../support/access-request-service.ts";
import { policyInput } from "./input.ts";

const START = Date.UTC(2027, 0, 1);
let now = START;
let service: AccessRequestService;
let other: AccessRequestService;
beforeAll(async () => {
  service = await startAccessRequestService(() => now);
  other = await startAccessRequestService(() => now);
});
afterAll(async () => {
  await service.stop();
  await other.stop();
});
beforeEach(() => {
  now = START;
  for (const one of [service, other]) {
    one.offer(undefined);
    one.publish({});
    one.answer(undefined);
    one.reevaluate(undefined);
    one.decideAtOnce(undefined);
  }
});

const policy = (options: Partial<AuthzenOptions> = {}) => {
  const { pdp, token } = service;
  const fixed = { name: "pdp", timeout: 5_000, mapping: "default", list: false, accessRequests: true } as const;
  return createAuthzenPolicy(
    { ...fixed, pdp, token, ...options },
    { fetch: globalThis.fetch, clock: { now: () => now } },
  );
};
const decide = (approval?: AccessApproval, input: PolicyInput = policyInput(), options: Partial<AuthzenOptions> = {}) =>
  policy(options).decide(input, approval);
const requested = async (): Promise<AccessRequest> => {
  const decision = await decide();
  const request = decision.outcome === "denied" ? decision.access?.request : undefined;
  return request ?? expect.fail("the denial is not requestable");
};
const submit = async () => (policy().accessRequests ?? expect.fail()).submit(await requested());
const at = (milliseconds: number) => new Date(START + milliseconds).toISOString();

describe("a denial of a decision point", () => {
  test("is requested as it was evaluated, with what binds it, and text for the agent", async () => {
    const { endpoint, body, text } = await requested();
    expect(endpoint).toBe(`${service.pdp}/requests`);
    const { denial, ...asked } = body;
    expect(asked).toEqual(service.evaluations.at(-1)?.body);
    expect(denial).toEqual({
      evaluation_id: expect.stringMatching(/^eval_/),
      evaluated_at: at(0),
      expires_at: at(600_000),
      reason: "approval_required",
      binding_token: expect.stringMatching(/^opaque/),
      template: "manager_approval",
    });
    expect(text).toBe("Request access: Manager approval is required.");
  });

  test("is none of its own where the policy does not ask for it, where a list or a prompt is denied, or several evaluations", async () => {
    expect(await decide(undefined, policyInput(), { accessRequests: false })).toEqual({ outcome: "denied" });
    const { request, ...input } = policyInput();
    const prompt = { ...request.mcp, method: "prompts/get", prompt: { params: { name: "monthEnd" } } };
    const { tool: _, ...mcp } = prompt;
    expect(await decide(undefined, { ...input, request: { ...request, mcp } })).toEqual({ outcome: "denied" });
    const entry = { action: { name: "a" }, resource: { type: "t", id: "i" } };
    const declaring = { ...policyInput(), declaredMapping: () => ({ evaluations: { evaluations: [entry] } }) };
    service.publish({ access_evaluations_endpoint: `${service.pdp}/evaluation` });
    const several = await decide(undefined, declaring, { mapping: "declared" });
    expect(several).not.toHaveProperty("access");
  });

  const NONE = { outcome: "denied", access: { next: "none" } };
  test.each<readonly [string, object, object?]>([
    ["no expiry", { expires_at: undefined }],
    ["an expiry that is no time", { expires_at: "soon" }],
    ["a time without a zone", { expires_at: "2027-01-02T00:00:00" }],
    ["an expiry that is over, clocks differing", { expires_at: at(-30_000) }],
    ["nothing that binds it", { binding_token: undefined }, { evaluation_id: undefined }],
    ["a schema of values that nobody here has", { request_schema_url: "https://forms.example/a.json" }],
    ["a catalog of such values", { request_catalogs_url: "https://forms.example/a.json" }],
    ["an endpoint that is no address", { endpoint: "/requests" }],
    ["an endpoint that is no text", { endpoint: null }],
    ["an endpoint at a host that nobody named", { endpoint: "https://evil.example/requests" }],
    ["an endpoint at another port", { endpoint: "http://127.0.0.1:9/requests" }],
    ["an offer that is a text", {}, { access_request: "yes" }],
  ])("with %s cannot be requested", async (_, offer, context) => {
    service.offer(offer as Record<string, unknown>, context as Record<string, unknown>);
    expect(await decide()).toEqual(NONE);
  });

  test.each<readonly [string, object, object?]>([
    ["an expiry within what clocks differ", { expires_at: at(-29_000) }],
    ["a time with an offset", { expires_at: "2027-01-01t05:00:00.5+04:00" }],
    ["an id of the evaluation alone", { binding_token: undefined }],
    ["a token alone", {}, { evaluation_id: undefined }],
    ["a form for people", { form_url: "https://forms.example/" }],
  ])("with %s can be", async (_, offer, context) => {
    service.offer(offer as Record<string, unknown>, context as Record<string, unknown>);
    expect(await requested()).toBeDefined();
  });

  test("83. is requested where its metadata say, and nowhere else does its token go", async () => {
    service.publish({ access_request_endpoint: `${other.pdp}/requests` });
    expect((await requested()).endpoint).toBe(`${other.pdp}/requests`);
    service.publish({ access_request_endpoint: undefined });
    expect(await decide()).toEqual(NONE);
    service.offer({ endpoint: `${other.pdp}/requests` });
    expect(await decide()).toEqual(NONE);
    service.offer({ endpoint: `${service.pdp}/elsewhere` });
    expect((await requested()).endpoint).toBe(`${service.pdp}/elsewhere`);
  });

  test("tells agents no more than short texts, on one line", async () => {
    service.offer({ display: { title: `a\n\u202Eb${"c".repeat(10_000)}`, description: { text: "no text" } } });
    expect((await requested()).text).toBe(`a b${"c".repeat(296)}`);
  });
});

describe("the service", () => {
  test("is handed a request once, however often it is sent", async () => {
    const request = await requested();
    const { submit: hand } = policy().accessRequests ?? expect.fail();
    const before = service.tasks().length;
    const [one, two] = [await hand(request), await hand(request)];
    expect(one).toEqual(two);
    expect(service.tasks()).toHaveLength(before + 1);
    const id = service.tasks().at(-1);
    const text = "Access request submitted: Your manager has been asked.";
    const task = { id, url: `${service.pdp}/requests/${id}` };
    expect(one).toEqual({ outcome: "pending", task, expiresAt: START + 3_600_000, text });
    expect((await hand(await requested())).outcome).toBe("pending");
    expect(service.tasks()).toHaveLength(before + 2);
  });

  const task = (members: object, more: object = {}) => ({
    status: 202,
    body: {
      task: { id: "arq_1", status: "pending", status_endpoint: `${service.pdp}/requests/arq_1`, ...members },
      ...more,
    },
  });
  const until = at(60_000);
  const approved = (result: unknown, members: object = {}) => task({ status: "approved", ...members }, { result });
  const malformed = { outcome: "unavailable", failure: "malformed_answer" };
  test.each<
    readonly [string, () => { readonly status: number; readonly body: unknown; readonly headers?: object }, object]
  >([
    ["200", () => ({ ...task({}), status: 200 }), { outcome: "unavailable", failure: "status_200" }],
    [
      "429",
      () => ({ status: 429, body: {}, headers: { "retry-after": "7" } }),
      { failure: "status_429", retryAfter: 7_000 },
    ],
    [
      "503 until a date",
      () => ({ status: 503, body: {}, headers: { "retry-after": new Date(START + 9_000).toUTCString() } }),
      { failure: "status_503", retryAfter: 9_000 },
    ],
    ["a redirect", () => ({ status: 307, body: {}, headers: { location: "/" } }), { failure: "status_307" }],
    ["no JSON", () => ({ status: 202, body: "yes" }), malformed],
    ["too much", () => ({ status: 202, body: `{"task": "${"a".repeat(1_100_000)}"}` }), malformed],
    ["what is nested too deeply", () => ({ status: 202, body: `${"[".repeat(200_000)}` }), malformed],
    ["no task", () => ({ status: 202, body: {} }), malformed],
    ["a task without an id", () => task({ id: "" }), malformed],
    ["an id of many characters", () => task({ id: "a".repeat(257) }), malformed],
    ["an id that nobody can read", () => task({ id: "a\u202Eb" }), malformed],
    ["a task of several requests", () => task({ items: [] }), malformed],
    [
      "a task at a host that nobody named",
      () => task({ status_endpoint: "https://evil.example/" }),
      { failure: "untrusted_host" },
    ],
    ["a task without an address", () => task({ status_endpoint: undefined }), { failure: "untrusted_host" }],
    ["a status that nobody knows", () => task({ status: "escalated" }), { outcome: "pending" }],
    ...["denied", "expired", "cancelled", "failed", "partial"].map(
      (status) =>
        [status, () => task({ status }, { result: { mode: "reevaluate" } }), { outcome: "ended", status }] as const,
    ),
    ["an approval without a result", () => approved(undefined), malformed],
    [
      "an approval in another mode",
      () => approved({ mode: "https://issue.example", approval: { id: "apr_1", approved_until: until } }),
      malformed,
    ],
    ["an approval without an end", () => approved({ mode: "reevaluate", approval: { id: "apr_1" } }), malformed],
    [
      "a large approval",
      () => approved({ mode: "reevaluate", approval: { id: "a", approved_until: until, state: "s".repeat(4_100) } }),
      malformed,
    ],
    [
      "an approval that is over",
      () => approved({ mode: "reevaluate", approval: { id: "apr_1", approved_until: at(0) } }),
      { outcome: "ended", status: "expired" },
    ],
    [
      "an approval",
      () => approved({ mode: "reevaluate", approval: { id: "apr_1", approved_until: until } }),
      { outcome: "approved", taskId: "arq_1", approval: { text: expect.any(String), until: START + 60_000 } },
    ],
  ])("answers a request with %s", async (_, answer, expected) => {
    service.answer(() => answer() as ReturnType<typeof task>);
    expect(await submit()).toMatchObject(expected);
  });

  test("is asked for one task, of which alone it may speak", async () => {
    await submit();
    const id = service.tasks().at(-1) ?? "";
    const { status } = policy().accessRequests ?? expect.fail();
    const known = { id, url: `${service.pdp}/requests/${id}` };
    expect(await status(known)).toMatchObject({ outcome: "pending", task: known });
    service.decide("approved");
    expect(await status(known)).toMatchObject({ outcome: "approved", taskId: id });
    expect(await status({ ...known, id: "another" })).toMatchObject({ failure: "malformed_answer" });
    expect(await status({ id, url: `${service.pdp}/requests/none` })).toEqual({
      outcome: "ended",
      taskId: id,
      status: "unknown",
    });
    const before = other.polls.length;
    expect(await status({ id, url: `${other.pdp}/requests/${id}` })).toMatchObject({ failure: "untrusted_host" });
    expect(other.polls).toHaveLength(before);
  });
});

describe("an approval", () => {
  /** As it was written, which `JSON.stringify` would not write. */
  const WRITTEN = `{"id":"apr_1","approved_until":"${at(60_000)}","state":{"n":12345678901234567890,"f":1.0,"t":"ü"}}`;
  const approval = { text: WRITTEN, until: START + 60_000 };

  test("comes and goes as it was written, beside the evaluation's own context", async () => {
    const body = `{"task":{"id":"arq_1","status":"approved","status_endpoint":"${service.pdp}/x"},"result":{"mode":"reevaluate","approval":${WRITTEN}}}`;
    service.answer(() => ({ status: 201, body }));
    expect(await submit()).toEqual({ outcome: "approved", taskId: "arq_1", approval });
    const sent: string[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      if (typeof init?.body === "string") sent.push(init.body);
      return globalThis.fetch(input, init);
    };
    const { pdp, token } = service;
    const options = { name: "pdp", pdp, token, timeout: 5_000, mapping: "default", list: false } as const;
    const presenting = createAuthzenPolicy({ ...options, accessRequests: true }, { fetch, clock: { now: () => now } });
    service.reevaluate(() => ({ decision: true }));
    expect(await presenting.decide(policyInput(), approval)).toEqual({ outcome: "allowed", until: START + 60_000 });
    expect(sent.at(-1)).toContain(`"context":{"agent":"an-agent","approval":${WRITTEN}}`);
  });

  test("ends when the decision says so, if that is earlier", async () => {
    service.reevaluate(() => ({ decision: true, context: { approval: { approved_until: at(5_000) } } }));
    expect(await decide(approval)).toEqual({ outcome: "allowed", until: START + 5_000 });
    service.reevaluate(() => ({ decision: true, context: { approval: { approved_until: at(0) } } }));
    expect(await decide(approval)).toEqual({ outcome: "failed", failure: "approval_expired" });
  });

  test("83. is none that a server's own mapping brings", async () => {
    const forged = { id: "apr_1", approved_until: at(60_000) };
    const evaluation = { action: { name: "a" }, resource: { type: "t", id: "i" }, context: { approval: forged } };
    const declaring = (declared: object) => ({ ...policyInput(), declaredMapping: () => declared });
    await decide(undefined, declaring({ evaluation }), { mapping: "declared" });
    expect(service.evaluations.at(-1)?.body.context).toEqual({ agent: "an-agent" });
    service.publish({ access_evaluations_endpoint: `${service.pdp}/evaluation` });
    await decide(undefined, declaring({ evaluations: { evaluations: [evaluation] } }), { mapping: "declared" });
    expect(service.evaluations.at(-1)?.body.evaluations).toMatchObject([{ context: { agent: "an-agent" } }]);
    expect(JSON.stringify(service.evaluations.at(-1)?.body)).not.toContain("apr_1");
  });

  const fresh = { access_request: { expires_at: at(60_000), binding_token: "b" } };
  test.each<readonly [string, object, object]>([
    ["request, with an offer", { next_action: "request", ...fresh }, { next: "request", request: expect.any(Object) }],
    ["request, without an offer", { next_action: "request" }, { next: "none" }],
    ["retry", { next_action: "retry", retry_after: 3, ...fresh }, { next: "retry", retryAfter: 3_000 }],
    ["retry, some time", { next_action: "retry", retry_after: "3" }, { next: "retry" }],
    ["none, whatever it offers", { next_action: "none", reason: "grant_pending", ...fresh }, { next: "none" }],
    ["what nobody knows, by a reason", { next_action: "dance", reason: "grant_pending" }, { next: "retry" }],
    ["nothing, by a reason", { reason: "policy_denied", ...fresh }, { next: "none" }],
    ["nothing, by a reason that asks anew", { reason: "out_of_scope" }, { next: "none" }],
    ["nothing, with an offer", { reason: "constructor", ...fresh }, { next: "request", request: expect.any(Object) }],
    ["nothing", {}, { next: "none" }],
  ])("that is not taken has %s as what is next", async (_, context, access) => {
    service.reevaluate(() => ({ decision: false, context }));
    expect(await decide(approval)).toEqual({ outcome: "denied", access });
  });
});
