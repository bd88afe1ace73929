import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import type { PolicyConfiguration } from "../../lib/config/policy-engines.ts";
import { callTool, type PreparedCall } from "../../lib/gateway/call-tool.ts";
import { refusedAnyway } from "../../lib/gateway/decision/approval.ts";
import type { Asked } from "../../lib/gateway/decision/step.ts";
import { MOMENTARY } from "../../lib/gateway/request-access.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { AuthzenOptions } from "../../lib/policy/authzen.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { rpc, textOf } from "../behaviour/gateway-fixture.ts";
import { type AccessRequestService, startAccessRequestService } from "../support/access-request-service.ts";
import { CLIENT } from "./authorization-server.ts";
import { withOwnExchange } from "./credentials/own-exchange.ts";
import { RESOURCE, type StartedGateway, startedGateway, trusted } from "./started.ts";
import { withGateway } from "./with-gateway.ts";

const [SECOND, MINUTE] = [1_000, 60_000];
const WAITS = "Waits for approval at the service of the decision point.";

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
  await it.restart({ policies: [authzen()] });
});

function authzen(options: Partial<AuthzenOptions> = {}): PolicyConfiguration {
  const { pdp, token } = service;
  const fixed = { name: "pdp", timeout: 5_000, mapping: "full", list: false, accessRequests: true } as const;
  return { engine: "authzen", ...fixed, pdp, token, ...options };
}

async function answerOf(given: object = { noteId: "1" }, gateway: StartedGateway = it.gateway) {
  const iat = Math.floor(it.gateway.clock.now() / SECOND);
  const of = { sub: "ada", client_id: CLIENT.id, iat, exp: iat + 300, jti: crypto.randomUUID() };
  return gateway.call("getNote", given, await it.server.sign({ aud: RESOURCE, scope: "notes:read", ...of }));
}
const textOfCall = async (given?: object, gateway?: StartedGateway) =>
  textOf(await rpc(await answerOf(given, gateway)));
const later = (milliseconds: number) => it.gateway.clock.set(it.gateway.clock.now() + milliseconds);
const counts = () => [service.submissions.length, service.polls.length, it.upstream.requests.length] as const;
/** Submissions, looks at tasks and calls of the upstream since then. */
const since = (before: ReturnType<typeof counts>) => counts().map((count, index) => count - (before[index] ?? 0));

/** Another instance at the store of the first. */
function another(grants: (own: Dependencies["stores"]["grants"]) => Partial<Dependencies["stores"]["grants"]>) {
  const { stores } = it.gateway.dependencies;
  return startedGateway({
    servers: [trusted(it.server.wellKnown)],
    upstreamURL: it.upstream.url,
    policies: [authzen()],
    adapt: (dependencies) => ({
      ...dependencies,
      clock: it.gateway.clock,
      stores: { ...stores, grants: { ...stores.grants, ...grants(stores.grants) } },
    }),
  });
}

describe("calls of one caller at the same time", () => {
  test("make one request each, and each is followed, at whichever instance", async () => {
    const others = () => new Promise((resolve) => setImmediate(resolve));
    const second = await another(({ interaction }) => ({
      interaction: async (...given) => {
        await others();
        const found = await interaction(...given);
        await others();
        return found;
      },
    }));
    try {
      const before = counts();
      const notes = Array.from({ length: 16 }, (_, index) => ({ noteId: `${index}` }));
      const gateways = [it.gateway, second];
      const texts = await Promise.all(notes.map((note, index) => textOfCall(note, gateways[index % 2])));
      expect(texts.filter((text) => !text.startsWith(WAITS))).toEqual([]);
      later(MINUTE);
      for (const note of notes) expect(await textOfCall(note)).toContain(WAITS);
      expect(since(before)).toEqual([16, 16, 0]);
    } finally {
      await second.close();
    }
  });

  test("do not make room for a late answer about an approval that is no more", async () => {
    const [reached, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isHeld = false;
    const slow = await another(({ interaction }) => ({
      interaction: async (...given) => {
        if (isHeld) reached.resolve();
        if (isHeld) await goesOn.promise;
        return interaction(...given);
      },
    }));
    try {
      await answerOf();
      service.decide("approved");
      later(MINUTE);
      service.reevaluate(() => {
        isHeld = true;
        return { decision: false, context: { next_action: "none", reason_user: "Not any more." } };
      });
      const held = textOfCall(undefined, slow);
      await reached.promise;
      const access_request = {
        expires_at: new Date(it.gateway.clock.now() + MINUTE).toISOString(),
        binding_token: "b",
      };
      service.reevaluate(() => ({ decision: false, context: { next_action: "request", access_request } }));
      const task = { id: "arq_newer", status: "pending", status_endpoint: `${service.pdp}/requests/x` };
      service.answer((answer, { method }) => (method === "POST" ? { status: 202, body: { task } } : answer));
      expect(await textOfCall()).toContain(WAITS);
      goesOn.resolve();
      expect(await held).toBe("Not any more.");
      const before = counts();
      expect(await textOfCall()).toContain(WAITS);
      expect(since(before)).toEqual([0, 0, 0]);
    } finally {
      await slow.close();
    }
  });
});

describe("a request for access", () => {
  test("is followed where it cannot be recorded", async () => {
    let isFull = true;
    await it.restart({
      policies: [authzen()],
      adapt: ({ stores, ...dependencies }) => ({
        ...dependencies,
        stores: {
          ...stores,
          auditLog: {
            ...stores.auditLog,
            append: async (event) => {
              if (isFull && event.type === "approval.requested") throw new Error("the store is full");
              return stores.auditLog.append(event);
            },
          },
        },
      }),
    });
    const before = counts();
    expect((await answerOf()).status).toBe(503);
    isFull = false;
    expect(await textOfCall()).toContain(WAITS);
    later(MINUTE);
    expect(await textOfCall()).toContain(WAITS);
    expect(since(before)).toEqual([1, 1, 0]);
  });

  test("is told to come too often where other calls are always first, not that it cannot be recorded", async () => {
    let isContended = true;
    await it.restart({
      policies: [authzen()],
      adapt: ({ stores, random, ...dependencies }) => ({
        ...dependencies,
        // Pauses between attempts have one random byte.
        random: { bytes: (length) => (length === 1 ? new Uint8Array(1) : random.bytes(length)) },
        stores: {
          ...stores,
          grants: {
            ...stores.grants,
            advance: async (next, now) =>
              !(isContended && JSON.stringify(next.content).includes('"pending"')) && stores.grants.advance(next, now),
          },
        },
      }),
    });
    const before = counts();
    expect(await textOfCall()).toBe(
      "The call was not made: too many calls of yours that need an approval come at the same time. Call again with the same arguments later.",
    );
    isContended = false;
    expect(await textOfCall()).toContain("Waits for approval");
    expect(since(before)).toEqual([1, 0, 0]);
  });

  test("is not made where another decision point denies for good, in whichever order", async () => {
    const final = await startAccessRequestService(() => it.gateway.clock.now());
    try {
      final.offer(undefined, { access_request: undefined, reason_user: "Never." });
      const { pdp, token } = final;
      const other = authzen({ name: "final", pdp, token });
      const before = counts();
      for (const policies of [
        [authzen(), other],
        [other, authzen()],
      ]) {
        await it.restart({ policies });
        expect(await textOfCall()).toBe("Never.");
      }
      expect(since(before)).toEqual([0, 0, 0]);
    } finally {
      await final.stop();
    }
  });

  test("is not made for a call whose arguments make no request, or that nobody may approve", async () => {
    const before = counts();
    await it.restart({ policies: [authzen({ mapping: "default" })] });
    expect(await textOfCall({})).toContain("noteId");
    expect(since(before)).toEqual([0, 0, 0]);
    const terms = { by: "self", separate: false, expires: MINUTE } as const;
    const asked = { approval: terms, caller: { identity: undefined } } as unknown as Asked;
    expect(refusedAnyway(asked)?.code).toBe("no_person");
    expect(refusedAnyway({ ...asked, approval: { ...terms, when: () => undefined as never } })).toBeUndefined();
  });

  test.each([
    ["is over", { expires_at: "2020-01-01T00:00:00Z" }, "expired"],
    ["has ended", { status: "failed" }, "failed"],
  ])("is not made with every call where its task %s at once", async (_, over, status) => {
    const task = { id: "arq_over", status: "pending", status_endpoint: `${service.pdp}/requests/x`, ...over };
    service.answer(() => ({ status: 202, body: { task } }));
    const before = counts();
    for (let again = 0; again < 3; again++)
      expect(await textOfCall()).toContain(`the request for access ended: ${status}`);
    expect(since(before)).toEqual([1, 0, 0]);
    service.answer(undefined);
    later(4 * SECOND);
    expect(await textOfCall()).toContain(WAITS);
    expect(since(before)).toEqual([2, 0, 0]);
  });
});

describe("an approval that the service gives at once, and the decision point never takes", () => {
  test.each(["request", "none"])("is not requested with every call where it ends soon and %s is next", async (next) => {
    const until = new Date(it.gateway.clock.now() + SECOND).toISOString();
    const task = { id: "arq_short", status: "approved", status_endpoint: `${service.pdp}/requests/x` };
    const result = { mode: "reevaluate", approval: { id: "apr_short", approved_until: until } };
    service.answer(() => ({ status: 201, body: { task, result } }));
    const access_request = { expires_at: new Date(it.gateway.clock.now() + MINUTE).toISOString(), binding_token: "b" };
    service.reevaluate(() => ({ decision: false, context: { next_action: next, access_request } }));
    await answerOf();
    const before = counts();
    later(2 * SECOND);
    await answerOf();
    expect(since(before)).toEqual([0, 0, 0]);
    later(2 * SECOND);
    await answerOf();
    expect(since(before)).toEqual([1, 0, 0]);
  });
});

describe("83. an approval that ends before its call begins", () => {
  test("makes no call, and gives back what it took of limits", async () => {
    const events: AuditEvent[] = [];
    let given = 0;
    const logger = { debug: () => undefined };
    const prepared = {
      call: { request: { requestId: "r", logger }, arguments: {}, identity: undefined },
      located: {
        ...{ app: { name: "notes" }, tool: { name: "getNote", localName: "getNote" } },
        argumentsOf: () => ({}),
        invoke: () => expect.unreachable(),
      },
      credential: { headers: {} },
      giveBack: () => given++,
    };
    const ports = {
      clock: { now: () => 1_000 },
      configuration: () => ({ configuration: {} }),
      random: webCryptoRandom,
      limits: { enter: () => () => undefined },
      organizationOf: async () => undefined,
      refusals: { record: async (event: AuditEvent) => events.push(event) },
    };
    const made = callTool({ ...prepared, until: 1_000 } as unknown as PreparedCall, ports as never);
    await expect(made).rejects.toMatchObject({ code: "denied_by_policy", reason: "access_ends" });
    expect([given, events]).toMatchObject([1, [{ outcome: "denied", reason: "access_ends" }]]);
    expect(MOMENTARY.has("access_ends")).toBe(false);
  });

  const exchanging = withOwnExchange();

  test("makes no call whose token took so long to get that it would outlive the approval", async () => {
    const { clock } = exchanging.gateway;
    const until = clock.now() + 10 * MINUTE;
    const own = await startAccessRequestService(() => exchanging.gateway.clock.now());
    try {
      own.decideAtOnce("approved");
      let isSlow = false;
      own.reevaluate(() => {
        isSlow = true;
        return { decision: true, context: { approval: { approved_until: new Date(until).toISOString() } } };
      });
      const { pdp, token } = own;
      await exchanging.restart({
        policies: [authzen({ pdp, token })],
        adapt: ({ keyRing, ...dependencies }) => ({
          ...dependencies,
          keyRing: {
            ...keyRing,
            sign: (...given: Parameters<typeof keyRing.sign>) => {
              if (isSlow) exchanging.gateway.clock.set(until - MINUTE);
              return keyRing.sign(...given);
            },
          },
        }),
      });
      const { text } = await exchanging.token();
      isSlow = false;
      expect(textOf(await rpc(await exchanging.gateway.call("getNote", { noteId: "1" }, text)))).toBe(
        "The call was not made: its approval ends before the token would that the call carries.",
      );
      expect(exchanging.gateway.clock.now()).toBe(until - MINUTE);
    } finally {
      await own.stop();
    }
  });
});
