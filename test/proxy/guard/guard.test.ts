import { beforeEach, describe, expect, test } from "vitest";
import type { LogFields, Logger } from "../../../lib/logging/logger.ts";
import {
  createUpstreamGuard,
  type Lease,
  UpstreamBusy,
  type UpstreamGuard,
  UpstreamOpen,
} from "../../../lib/upstream/guard/guard.ts";
import { isGatewayError } from "../../../lib/upstream/refusal.ts";

/** Milliseconds that a request waits for its turn. */
const PATIENCE = 40;

let now: number;
let told: (string | LogFields | undefined)[];
let counted: unknown[];
let guard: UpstreamGuard;

beforeEach(() => {
  [now, told, counted] = [1_000_000, [], []];
  const tell = (message: string, fields?: LogFields) => void told.push(message, fields);
  const logger: Logger = { debug: tell, info: tell, warn: tell, error: tell, with: () => logger };
  const telemetry = {
    startSpan: () => undefined,
    record: (...recorded: unknown[]) => void counted.push(recorded),
    countActive: () => undefined,
    countSession: () => undefined,
  };
  guard = createUpstreamGuard({ clock: { now: () => now }, logger, telemetry }, PATIENCE);
});

const enter = (app = "ledger", concurrency = 100, signal = new AbortController().signal) =>
  guard.enter(app, concurrency, signal);

async function fail(times: number, app?: string): Promise<void> {
  for (let failures = 0; failures < times; failures++) (await enter(app)).end("failed");
}

const stateOf = (app = "ledger") => guard.states().find((state) => state.app === app);

describe("requests to an upstream that does not answer", () => {
  test("are stopped after five failures in a row, for ten seconds", async () => {
    await fail(4);
    expect(stateOf()).toEqual({ app: "ledger", state: "closed", failures: 4, running: 0 });
    await fail(1);
    expect(stateOf()).toEqual({ app: "ledger", state: "open", failures: 5, running: 0 });
    now += 2_500;
    const refusal = await enter().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UpstreamOpen);
    expect(refusal).toMatchObject({ app: "ledger", retryAfter: 7_500 });
    expect(String(refusal)).toContain("it is tried again in 8 s");
    now += 7_500;
    expect(stateOf()).toMatchObject({ state: "half_open" });
  });

  test("concern their own app", async () => {
    await fail(5);
    await expect(enter("reports")).resolves.toBeDefined();
  });

  test("are counted anew by an answer in between, and not by those that the agent ended", async () => {
    await fail(4);
    (await enter()).end("answered");
    await fail(4);
    for (let left = 0; left < 10; left++) (await enter()).end("unknown");
    expect(stateOf()).toMatchObject({ state: "closed", failures: 4 });
  });

  test("are tried by one; an answer lets all of them through again", async () => {
    await fail(5);
    now += 10_000;
    const trial = await enter();
    await expect(enter()).rejects.toBeInstanceOf(UpstreamOpen);
    expect(stateOf()).toMatchObject({ state: "half_open", running: 1 });
    trial.end("answered");
    expect(stateOf()).toMatchObject({ state: "closed", failures: 0 });
    await Promise.all([enter(), enter()]);
  });

  test("are stopped for ten seconds more when the one failed", async () => {
    await fail(5);
    now += 10_000;
    const trial = await enter();
    now += 6_000;
    trial.end("failed");
    now += 9_999;
    await expect(enter()).rejects.toMatchObject({ retryAfter: 1 });
    now += 1;
    await expect(enter()).resolves.toBeDefined();
  });

  test("are tried by another where nothing is known of the one, at once or ten seconds later", async () => {
    await fail(5);
    now += 10_000;
    (await enter()).end("unknown");
    const lost = await enter();
    now += 10_000;
    const trial = await enter();
    // What is heard of the lost one late decides nothing.
    lost.end("failed");
    expect(stateOf()).toMatchObject({ state: "half_open" });
    trial.end("answered");
    expect(stateOf()).toMatchObject({ state: "closed" });
  });

  test("that went out before do not prolong it, and one that is answered ends it", async () => {
    const early = await Promise.all(Array.from({ length: 7 }, () => enter()));
    for (const lease of early.slice(0, 5)) lease.end("failed");
    now += 5_000;
    early[5]?.end("failed");
    await expect(enter()).rejects.toMatchObject({ retryAfter: 5_000 });
    early[6]?.end("answered");
    await expect(enter()).resolves.toBeDefined();
  });

  test("are not stopped by a clock that was set back", async () => {
    await fail(5);
    now -= 3_600_000;
    await expect(enter()).resolves.toBeDefined();
  });

  test("are told to the log once, and counted", async () => {
    await fail(5);
    await enter().catch(() => undefined);
    now += 10_000;
    (await enter()).end("answered");
    const app = { app: "ledger" };
    expect(told).toEqual([
      "the upstream does not answer; nothing is sent to it for now",
      app,
      "the upstream answers again",
      app,
    ]);
    const changes = "countersign.upstream.circuit.changes";
    const outcome = (name: string) => ({ "countersign.app": "ledger", "countersign.outcome": name });
    expect(counted).toEqual([
      [changes, 1, outcome("opened")],
      ["countersign.upstream.refusals", 1, outcome("open")],
      [changes, 1, outcome("tried")],
      [changes, 1, outcome("closed")],
    ]);
  });
});

describe("requests to an upstream that has as many as it may have", () => {
  test("wait for one of them to end", async () => {
    const [first, second] = await Promise.all([enter("ledger", 2), enter("ledger", 2)]);
    const third = enter("ledger", 2);
    expect(stateOf()).toMatchObject({ running: 2 });
    first.end("answered");
    (await third).end("answered");
    second.end("answered");
    expect(stateOf()).toMatchObject({ running: 0 });
  });

  test("take each place once", async () => {
    const held = await enter("ledger", 1);
    const waiting = Array.from({ length: 4 }, () => enter("ledger", 1));
    held.end("answered");
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
  });

  test("are refused when they have waited for too long", async () => {
    await enter("ledger", 1);
    await expect(enter("ledger", 1)).rejects.toMatchObject({ name: "UpstreamBusy", app: "ledger" });
    expect(counted).toEqual([
      ["countersign.upstream.refusals", 1, { "countersign.app": "ledger", "countersign.outcome": "busy" }],
    ]);
  });

  test("are refused at once when four times as many wait", async () => {
    await enter("ledger", 1);
    let others = 0;
    const waiting = Array.from({ length: 4 }, () => enter("ledger", 1).catch(() => void others++));
    await expect(enter("ledger", 1)).rejects.toBeInstanceOf(UpstreamBusy);
    expect(others).toBe(0);
    await Promise.all(waiting);
    // Who waited and left makes room.
    expect(await enter("ledger", 2)).toBeDefined();
  });

  test("end with the agent's reason when that leaves", async () => {
    await enter("ledger", 1);
    const leaving = new AbortController();
    const waiting = enter("ledger", 1, leaving.signal);
    leaving.abort(new Error("the agent left"));
    await expect(waiting).rejects.toThrow("the agent left");
    await expect(enter("reports", 1, leaving.signal)).rejects.toThrow("the agent left");
    expect(stateOf("reports")).toBeUndefined();
  });

  test("are refused when the upstream stops to answer meanwhile", async () => {
    const running = await Promise.all(Array.from({ length: 5 }, () => enter("ledger", 5)));
    const waiting = enter("ledger", 5);
    for (const lease of running) lease.end("failed");
    await expect(waiting).rejects.toBeInstanceOf(UpstreamOpen);
  });

  test("do not wait for ever for one that never ended", async () => {
    await enter("ledger", 1);
    now += 15 * 60_000 + 1;
    expect(stateOf()).toMatchObject({ running: 0 });
    await expect(enter("ledger", 1)).resolves.toBeDefined();
  });

  test("give their place back once, however often they end", async () => {
    const leases: Lease[] = await Promise.all([enter("ledger", 2), enter("ledger", 2)]);
    leases[0]?.end("failed");
    leases[0]?.end("failed");
    expect(stateOf()).toEqual({ app: "ledger", state: "closed", failures: 1, running: 1 });
  });
});

test("an answer of a gateway before the upstream is none of the upstream's", () => {
  const statuses = [200, 429, 500, 501, 502, 503, 504, 505, 519, 520, 522, 526, 527, 529, 530, 531];
  expect(statuses.filter(isGatewayError)).toEqual([502, 503, 504, 520, 522, 526, 530]);
});

describe("31. one principal", () => {
  const signal = new AbortController().signal;
  const enterAs = (principal: string) => guard.enter("ledger", 4, signal, principal);

  test("leaves a quarter of the places to the others", async () => {
    await Promise.all([enterAs("alice"), enterAs("alice"), enterAs("alice")]);
    const waiting = enterAs("alice").catch((error: unknown) => error);
    await expect(enterAs("bob")).resolves.toBeDefined();
    expect(await waiting).toBeInstanceOf(UpstreamBusy);
  });

  test("leaves a quarter of those that wait to the others, who go before it where it may have no more", async () => {
    await Promise.all([enterAs("alice"), enterAs("alice"), enterAs("alice")]);
    const waiting = Array.from({ length: 16 }, () => enterAs("alice").catch((error: unknown) => error));
    await expect(enterAs("bob")).resolves.toBeDefined();
    const outcomes = await Promise.all(waiting);
    expect(outcomes.every((outcome) => outcome instanceof UpstreamBusy)).toBe(true);
  });

  test("stops nothing for the others with calls that take too long", async () => {
    for (let calls = 0; calls < 10; calls++) (await enterAs("alice")).end("late");
    expect(stateOf()).toMatchObject({ state: "closed" });
    (await enterAs("bob")).end("late");
    expect(stateOf()).toMatchObject({ state: "open" });
  });

  test("where nobody is told apart, calls that take too long count like any that fail", async () => {
    for (let calls = 0; calls < 5; calls++) (await enterAs("")).end("late");
    expect(stateOf()).toMatchObject({ state: "open" });
  });
});
