import { expect, test } from "vitest";
import { createBroker } from "../../../infra/node/workers/broker.ts";
import type { PrimaryOperations, WorkerOperations } from "../../../infra/node/workers/messages.ts";
import { createPeer, type Operations, type Peer } from "../../../infra/node/workers/peer.ts";
import { sharedPorts } from "../../../infra/node/workers/ports.ts";
import { ALONE, createLimiter } from "../../../lib/limits/create-limiter.ts";
import type { LimitTerms } from "../../../lib/limits/limiter.ts";
import type { SessionSignal } from "../../../lib/stores/session-channel.ts";
import { StoreUnavailableError } from "../../../lib/stores/unavailable.ts";

const clock = { now: () => 1_000_000 };
const TERMS: LimitTerms = { name: "calls", quota: 3, period: 60_000, burst: 3, exact: false, unavailable: "deny" };
const claims = (amount = 1) => [{ terms: { ...TERMS }, key: "client/a", amount }];

/** A primary and workers whose messages are structured clones, as between processes. */
function instance(count: number) {
  const recorded: unknown[] = [];
  const stores = { limits: { lease: () => Promise.reject(new Error("nothing is asked of the store")) } };
  const broker = createBroker({
    limiter: createLimiter({ stores, clock, logger: { warn: () => undefined } }, ALONE),
    refusals: {
      record: async (event) => {
        recorded.push(event);
        throw new StoreUnavailableError("full");
      },
    },
    useSettings: async () => undefined,
  });
  const workers = Array.from({ length: count }, () => {
    const forgotten: string[] = [];
    const atPrimary: Record<string, unknown> = {};
    const ends: { worker?: Peer<WorkerOperations>; primary?: Peer<PrimaryOperations> } = {};
    const toWorker = createPeer<WorkerOperations>((sent) => {
      setImmediate(() => ends.primary?.received(structuredClone(sent)));
      return true;
    }, atPrimary as Operations);
    const { left, operations } = broker.join(toWorker);
    Object.assign(atPrimary, operations);
    const atWorker: Record<string, unknown> = { forgetClient: (id: string) => void forgotten.push(id) };
    const toPrimary = createPeer<PrimaryOperations>((sent) => {
      setImmediate(() => toWorker.received(structuredClone(sent)));
      return true;
    }, atWorker as Operations);
    ends.primary = toPrimary;
    const { ports, answering } = sharedPorts(toPrimary);
    Object.assign(atWorker, answering);
    return {
      ports,
      forgotten,
      end: () => {
        toWorker.ended();
        left();
      },
    };
  });
  return { workers, recorded };
}

const text = (said: string): SessionSignal => ({ kind: "text", text: said });

test("signals come to who follows at any worker, in one order, and are counted", async () => {
  const { workers } = instance(3);
  const heard: string[][] = [[], [], []];
  await Promise.all(
    workers.map(({ ports }, at) =>
      ports.sessionChannel.follow("session", (signal) => {
        if (signal.kind === "text") heard[at]?.push(signal.text);
      }),
    ),
  );
  const handed = await Promise.all(
    Array.from({ length: 30 }, (_, at) => workers[at % 3]?.ports.sessionChannel.publish("session", text(String(at)))),
  );
  expect(handed).toEqual(handed.map(() => 3));
  expect(heard[0]).toHaveLength(30);
  expect(heard).toEqual([heard[0], heard[0], heard[0]]);
  workers[2]?.end();
  expect(await workers[0]?.ports.sessionChannel.publish("session", text("last"))).toBe(2);
});

test("51. limits count over all, give back, and free the places of a worker that ended", async () => {
  const { workers } = instance(2);
  const [one, two] = workers.map(({ ports }) => ports.limiter);
  const first = await one?.take(claims());
  expect(await two?.take(claims(2))).toMatchObject({ outcome: "granted", states: [{ remaining: 0 }] });
  expect(await one?.take(claims())).toMatchObject({ outcome: "refused" });
  if (first?.outcome === "granted") first.giveBack();
  expect(await two?.take(claims())).toMatchObject({ outcome: "granted" });
  const leave = await one?.enter("calls", "client/a", 1);
  expect(await two?.enter("calls", "client/a", 1)).toBeUndefined();
  leave?.();
  expect(await two?.enter("calls", "client/a", 1)).toBeDefined();
  expect(await one?.enter("calls", "client/a", 1)).toBeUndefined();
  workers[1]?.end();
  expect(await one?.enter("calls", "client/a", 1)).toBeDefined();
});

test("a changed client is forgotten by all others before that is answered; a refusal is recorded once, and fails as the store does", async () => {
  const { workers, recorded } = instance(3);
  await workers[1]?.ports.clientChanged("client_1");
  expect(workers.map(({ forgotten }) => forgotten)).toEqual([["client_1"], [], ["client_1"]]);
  const event = { id: "evt_1", time: 1, type: "tool.invoked", outcome: "denied" } as const;
  await expect(workers[0]?.ports.refusals.record(event)).rejects.toThrow(StoreUnavailableError);
  expect(recorded).toEqual([event]);
});
