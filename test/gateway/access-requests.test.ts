import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { PolicyConfiguration } from "../../lib/config/policy-engines.ts";
import type { AuthzenOptions } from "../../lib/policy/authzen.ts";
import { type RpcAnswer, rpc, textOf } from "../behaviour/gateway-fixture.ts";
import { type AccessRequestService, startAccessRequestService } from "../support/access-request-service.ts";
import { CLIENT } from "./authorization-server.ts";
import { withOwnExchange } from "./credentials/own-exchange.ts";
import { RESOURCE, type StartedGateway, startedGateway, trusted } from "./started.ts";
import { withGateway } from "./with-gateway.ts";

const [SECOND, MINUTE] = [1_000, 60_000];
/** The longest wait between two looks at one task. */
const PATIENCE = MINUTE;
const WAITS =
  'Waits for approval at the service of the decision point. It says: "Access request submitted: Your manager has been asked.". The call was not made; call again with the same arguments after that.';

const it = withGateway();
let service: AccessRequestService;
beforeAll(async () => {
  service = await startAccessRequestService(() => it.gateway.clock.now());
});
afterAll(() => service.stop());
beforeEach(async () => {
  service.offer(undefined);
  service.answer(undefined);
  service.reevaluate(undefined);
  service.decideAtOnce(undefined);
  await serve();
});

const authzen = (options: Partial<AuthzenOptions> = {}): PolicyConfiguration => {
  const { pdp, token } = service;
  const fixed = { name: "pdp", timeout: 5_000, mapping: "default", list: false, accessRequests: true } as const;
  return { engine: "authzen", ...fixed, pdp, token, ...options };
};
const serve = (policies: readonly PolicyConfiguration[] = [authzen()]) => it.restart({ policies });

interface Caller {
  readonly person?: string;
  readonly agent?: string;
  readonly gateway?: StartedGateway;
}

const tokenOf = ({ person = "ada", agent = CLIENT.id }: Caller) => {
  const iat = Math.floor(it.gateway.clock.now() / SECOND);
  const of = { sub: person, client_id: agent, iat, exp: iat + 300, jti: crypto.randomUUID() };
  return it.server.sign({ aud: RESOURCE, scope: "notes:read", ...of });
};
async function call(given: object = { noteId: "1" }, caller: Caller = {}): Promise<RpcAnswer> {
  const { gateway = it.gateway } = caller;
  return rpc(await gateway.call("getNote", given, await tokenOf(caller)));
}
const textOfCall = async (given?: object, caller?: Caller) => textOf(await call(given, caller));
const later = (milliseconds = PATIENCE) => it.gateway.clock.set(it.gateway.clock.now() + milliseconds);
const counts = () => [service.submissions.length, service.polls.length, it.upstream.requests.length] as const;
/** Submissions, looks at tasks and calls of the upstream since then. */
const since = (before: ReturnType<typeof counts>) => counts().map((count, index) => count - (before[index] ?? 0));
async function records(type = "tool.invoked") {
  const { stores } = it.gateway.dependencies;
  const organization = await stores.directory.firstOrganization();
  const filter = { organizationId: organization?.organizationId ?? "", type };
  return (await stores.auditLog.query(filter, { limit: 50 })).items;
}

describe("a call that a decision point denies", () => {
  test("waits for its service's approval, and is made after that as often as the decision point allows it", async () => {
    const before = counts();
    expect((await call()).result?.isError).toBe(true);
    expect(await textOfCall()).toBe(WAITS);
    expect(since(before)).toEqual([1, 0, 0]);
    later();
    expect(await textOfCall()).toBe(WAITS);
    expect(since(before)).toEqual([1, 1, 0]);
    service.decide("approved");
    // Nobody looks more often than the service is to be asked.
    expect(await textOfCall()).toBe(WAITS);
    later();
    expect(await textOfCall()).toContain("First");
    expect(service.evaluations.at(-1)?.body.context).toMatchObject({
      agent: CLIENT.id,
      approval: { id: expect.stringMatching(/^apr_/), state: { counted: 12_345 } },
    });
    expect(await textOfCall()).toContain("First");
    expect(since(before)).toEqual([1, 2, 2]);
    const [taskId] = [service.tasks().at(-1)];
    expect(await records()).toMatchObject([
      { outcome: "success", details: { taskId } },
      { outcome: "success", details: { taskId } },
      { outcome: "denied", reason: "access_requested", details: { policy: "pdp", taskId } },
    ]);
    const about = { app: "notes", tool: "getNote", agent: CLIENT.id, user: expect.any(String) };
    expect(await records("approval.requested")).toMatchObject([{ ...about, details: { policy: "pdp", taskId } }]);
  });

  test("is made at once where the service approves at once", async () => {
    service.decideAtOnce("approved");
    const before = counts();
    expect(await textOfCall()).toContain("First");
    expect(since(before)).toEqual([1, 0, 1]);
    expect(await records()).toMatchObject([{ outcome: "success", details: { taskId: service.tasks().at(-1) } }]);
  });

  test("is followed by any instance, for whichever token of the caller", async () => {
    const second = await startedGateway({
      servers: [trusted(it.server.wellKnown)],
      upstreamURL: it.upstream.url,
      policies: [authzen()],
      adapt: (dependencies) => ({ ...dependencies, stores: it.gateway.dependencies.stores }),
    });
    try {
      await call();
      service.decide("approved");
      second.clock.set(it.gateway.clock.now() + PATIENCE);
      const before = counts();
      expect(await textOfCall({ noteId: "1" }, { gateway: second })).toContain("First");
      expect(since(before)).toEqual([0, 1, 1]);
    } finally {
      await second.close();
    }
  });

  test("is requested once, however many equal calls come at the same time", async () => {
    const before = counts();
    const texts = await Promise.all(Array.from({ length: 6 }, () => textOfCall()));
    expect(texts.every((text) => text.startsWith("Waits for approval"))).toBe(true);
    expect(since(before)).toEqual([1, 0, 0]);
  });

  test("is one request whatever its arguments where the decision point is not told of them, else another for each", async () => {
    const before = counts();
    await call();
    await call({ noteId: "2" });
    expect(since(before)).toEqual([1, 0, 0]);
    await serve([authzen({ mapping: "full" })]);
    await call();
    await call({ noteId: "2" });
    await call({ noteId: "2" });
    expect(since(before)).toEqual([3, 0, 0]);
  });

  test("is told that it is refused, and for an hour nothing is requested anew", async () => {
    await call();
    service.decide("denied");
    later();
    const REFUSED = "The call was not made: the service of the decision point refused access. Do not make it again.";
    const before = counts();
    expect(await textOfCall()).toBe(REFUSED);
    expect(await textOfCall()).toBe(REFUSED);
    expect(since(before)).toEqual([0, 1, 0]);
    const details = { policy: "pdp", taskId: service.tasks().at(-1), status: "denied" };
    expect((await records())[0]).toMatchObject({ outcome: "denied", reason: "access_refused", details });
    later(60 * MINUTE);
    expect(await textOfCall()).toBe(WAITS);
    expect(since(before)).toEqual([1, 1, 0]);
  });

  test.each(["expired", "cancelled", "failed"])("may be requested anew where its task is %s", async (status) => {
    await call();
    service.decide(status);
    later();
    expect(await textOfCall()).toContain(`the request for access ended: ${status}`);
    const before = counts();
    expect(await textOfCall()).toBe(WAITS);
    expect(since(before)).toEqual([1, 0, 0]);
  });

  test("is requested anew when its task or its approval is over", async () => {
    await call();
    const before = counts();
    later(60 * MINUTE);
    await call();
    expect(since(before)).toEqual([1, 0, 0]);
    service.decide("approved");
    later();
    expect(await textOfCall()).toContain("First");
    later(60 * MINUTE);
    expect(await textOfCall()).toBe(WAITS);
    expect(since(before)).toEqual([2, 1, 1]);
  });

  test("is not requested where another policy denies it as well, nor for a tool that the agent is not to know", async () => {
    const before = counts();
    await serve([authzen(), { engine: "cel", name: "cel", expression: "false" }]);
    await call();
    await serve([authzen(), authzen({ name: "final", accessRequests: false })]);
    expect((await records())[0]).toBeUndefined();
    await call();
    expect((await records())[0]).toMatchObject({ reason: "policy", details: { policy: "final" } });
    await serve([authzen({ list: true })]);
    await call();
    expect(since(before)).toEqual([0, 0, 0]);
  });

  test("is denied for good where nothing is offered, whatever waits", async () => {
    await call();
    service.offer(undefined, { access_request: undefined, reason_user: "No more." });
    later();
    expect(await textOfCall()).toBe("No more.");
    service.decide("approved");
    later();
    // The approval counts nevertheless, as the decision point says.
    expect(await textOfCall()).toContain("First");
  });

  test("waits for each of two decision points", async () => {
    await serve([authzen(), authzen({ name: "other" })]);
    service.decideAtOnce("approved");
    const before = counts();
    expect(await textOfCall()).toContain("First");
    expect(since(before)).toEqual([2, 0, 1]);
    const taskId = service.tasks().slice(-2).join(" ");
    expect(await records()).toMatchObject([{ outcome: "success", details: { taskId } }]);
  });
});

describe("a decision point that does not take an approval", () => {
  const granted = async () => {
    await call();
    service.decide("approved");
    later();
  };

  test("is presented it later, where that is next", async () => {
    await granted();
    service.reevaluate(() => ({ decision: false, context: { next_action: "retry", retry_after: 90 } }));
    const text =
      "Access is approved, but not granted yet. The call was not made; call again with the same arguments in 90 s.";
    expect(await textOfCall()).toBe(text);
    const asked = service.evaluations.length;
    expect(await textOfCall()).toBe(text);
    expect(service.evaluations.length - asked).toBe(1);
    service.reevaluate(undefined);
    later(90 * SECOND);
    expect(await textOfCall()).toContain("First");
  });

  test("is not presented it again, and nothing is requested, where nothing is next", async () => {
    await granted();
    service.reevaluate(() => ({ decision: false, context: { next_action: "none", reason_user: "Not any more." } }));
    const before = counts();
    expect(await textOfCall()).toBe("Not any more.");
    service.reevaluate(undefined);
    expect(await textOfCall()).toBe("A policy does not allow this call.");
    expect(since(before)).toEqual([0, 1, 0]);
  });

  test("is asked for another one where that is next, and presented it after a while", async () => {
    await granted();
    const access_request = { expires_at: new Date(it.gateway.clock.now() + MINUTE).toISOString(), binding_token: "b" };
    service.reevaluate(() => ({ decision: false, context: { next_action: "request", access_request } }));
    const approval = { id: "apr_of_nobody", approved_until: new Date(it.gateway.clock.now() + MINUTE).toISOString() };
    const task = { id: "arq_of_nobody", status: "approved", status_endpoint: `${service.pdp}/requests/x` };
    const body = { task, result: { mode: "reevaluate", approval } };
    service.answer((answer, { method }) => (method === "POST" ? { status: 201, body } : answer));
    const before = counts();
    for (const submitted of [1, 2]) {
      for (let again = 0; again < 3; again++)
        expect(await textOfCall()).toContain("Access is approved, but not granted");
      expect(since(before)).toEqual([submitted, 1, 0]);
      later(8 * SECOND);
    }
  });
});

describe("83. an approval at a decision point's service", () => {
  test("is presented for the same person and agent alone", async () => {
    await call();
    service.decide("approved");
    later();
    const before = counts();
    expect(await textOfCall(undefined, { person: "eve" })).toBe(WAITS);
    expect(await textOfCall(undefined, { agent: "another" })).toBe(WAITS);
    expect(since(before)).toEqual([2, 0, 0]);
    expect(await textOfCall()).toContain("First");
  });

  test("is no word that allows: the decision point decides with every call, and so do all others", async () => {
    await call();
    service.decide("approved");
    later();
    expect(await textOfCall()).toContain("First");
    service.decide("cancelled");
    const before = counts();
    expect(await textOfCall()).toBe(WAITS);
    expect(since(before)).toEqual([1, 0, 0]);
  });

  test("is not found where the service does not answer, or answers anything else", async () => {
    const FAILED =
      "A policy does not allow this call, and the service that access is requested from gives no answer. Call again with the same arguments later.";
    service.answer(() => ({ status: 429, body: {}, headers: { "retry-after": "600" } }));
    const before = counts();
    expect(await textOfCall()).toBe(FAILED);
    expect((await records())[0]).toMatchObject({
      ...{ outcome: "denied", reason: "access_request_failed" },
      details: { policy: "pdp", error: "status_429" },
    });
    service.answer(undefined);
    later(9 * MINUTE);
    expect(await textOfCall()).toBe(FAILED);
    expect(since(before)).toEqual([1, 0, 0]);
    later();
    expect(await textOfCall()).toBe(WAITS);
    for (const answer of [
      { status: 500, body: {} },
      { status: 200, body: "approved" },
    ]) {
      service.answer(() => answer);
      later();
      expect(await textOfCall()).toBe(FAILED);
    }
    service.answer(undefined);
    service.decide("approved");
    later();
    expect(await textOfCall()).toContain("First");
    expect(since(before)).toEqual([2, 3, 1]);
  });

  test("is waited for at most twenty times by one person and agent, and by others none the less", async () => {
    await serve([authzen({ mapping: "full" })]);
    for (let noteId = 0; noteId < 20; noteId++) expect(await textOfCall({ noteId: `${noteId}` })).toBe(WAITS);
    const before = counts();
    expect(await textOfCall({ noteId: "20" })).toContain("as many calls of yours as may wait for one do already");
    expect((await records()).map(({ reason }) => reason)).toContain("too_many_approvals");
    expect(since(before)).toEqual([0, 0, 0]);
    expect(await textOfCall({ noteId: "20" }, { person: "eve" })).toBe(WAITS);
    // What nobody waits for any more makes room.
    service.decide("denied", service.tasks().at(-2));
    later();
    expect(await textOfCall({ noteId: "19" })).toContain("refused access");
    expect(await textOfCall({ noteId: "20" })).toBe(WAITS);
  });

  test("is not followed where nothing can be kept: nothing is made, and the request is free again after a while", async () => {
    let isFull = true;
    await it.restart({
      policies: [authzen()],
      adapt: ({ stores, ...dependencies }) => ({
        ...dependencies,
        stores: {
          ...stores,
          grants: {
            ...stores.grants,
            advance: async (next, now) => {
              if (isFull && JSON.stringify(next.content).includes('"pending"')) throw new Error("the store is full");
              return stores.grants.advance(next, now);
            },
          },
        },
      }),
    });
    const before = counts();
    const { status } = await it.gateway.call("getNote", { noteId: "1" }, await tokenOf({}));
    expect(status).toBe(503);
    isFull = false;
    expect(await textOfCall()).toContain("Manager approval is required.");
    expect(since(before)).toEqual([1, 0, 0]);
    later(20 * SECOND);
    expect(await textOfCall()).toBe(WAITS);
    expect(since(before)).toEqual([2, 0, 0]);
  });

  test("leaves no trace of its task's address, its id or its state with the agent, in records or in logs", async () => {
    const texts = [await textOfCall()];
    service.decide("approved");
    later();
    texts.push(await textOfCall());
    const seen = JSON.stringify([texts, await records(), it.gateway.logs]);
    for (const secret of ["apr_", "state.of", "/requests", "opaque.eval", service.token, "/review/"])
      expect(seen).not.toContain(secret);
  });
});

describe("83. an approval that ends soon", () => {
  const exchanging = withOwnExchange();

  test("makes no call whose exchanged token would outlive it", async () => {
    const { clock } = exchanging.gateway;
    const approved_until = new Date(clock.now() + 10 * MINUTE).toISOString();
    const own = await startAccessRequestService(() => exchanging.gateway.clock.now());
    try {
      own.decideAtOnce("approved");
      own.reevaluate(() => ({ decision: true, context: { approval: { approved_until } } }));
      const { pdp, token } = own;
      await exchanging.restart({ policies: [{ ...authzen(), pdp, token } as PolicyConfiguration] });
      const { text } = await exchanging.token();
      const made = async () => textOf(await rpc(await exchanging.gateway.call("getNote", { noteId: "1" }, text)));
      exchanging.gateway.clock.set(Date.parse(approved_until) - 121 * SECOND);
      expect(await made()).toContain("user_a-person");
      exchanging.gateway.clock.set(Date.parse(approved_until) - 119 * SECOND);
      expect(await made()).toBe(
        "The call was not made: its approval ends before the token would that the call carries.",
      );
    } finally {
      await own.stop();
    }
  });
});
