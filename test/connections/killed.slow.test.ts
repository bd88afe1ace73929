import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConnectionOutcome } from "../../lib/connections/person-connections.ts";
import type { ConnectionState } from "../../lib/stores/connections.ts";
import type { CallerLine, CallerOptions } from "./support/caller.ts";
import { gotOf, type Setting, startSetting, WANT } from "./support/setting.ts";
import { startTokenServer, type TokenServer } from "./support/token-server.ts";

/** Processes that renew a connection and are killed with -9 while they do, and others that come after them. */
let provider: TokenServer;
let setting: Setting;
const started: ChildProcess[] = [];
beforeEach(async () => {
  provider = await startTokenServer();
  setting = startSetting(provider);
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  await setting.settled();
  setting.close();
  await provider.close();
});

/** The lease is over, milliseconds after the start. */
const AFTER_LEASE = 31_000;
/** Of the former access token, from the start: milliseconds. It serves until after the lease, or not at all. */
const [LIVING, ENDED] = [50_000, -1];

/**
 * - `intent`: the intent is written, and nothing was sent.
 * - `request`: the provider has the request, and has done nothing.
 * - `rotated`: the provider has done it, and no answer came.
 * - `outcome`: the answer came, and is written nowhere.
 */
type Point = "intent" | "request" | "rotated" | "outcome";

interface Row {
  readonly point: Point;
  readonly grace: number;
  /** What the next process gets when the former token still lives, and one when both lease and token are over. */
  readonly living: "old" | "new";
  readonly ended: "new" | "reconnect";
  readonly state: ConnectionState;
  /** Requests with the spent token by then, with that of the killed process. */
  readonly requests: number;
}

const ROWS: readonly Row[] = [
  { point: "intent", grace: 0, living: "old", ended: "new", state: "connected", requests: 1 },
  { point: "request", grace: 0, living: "old", ended: "new", state: "connected", requests: 2 },
  { point: "rotated", grace: 0, living: "old", ended: "reconnect", state: "reconnect", requests: 2 },
  { point: "outcome", grace: 0, living: "old", ended: "reconnect", state: "reconnect", requests: 2 },
  { point: "intent", grace: 60_000, living: "new", ended: "new", state: "connected", requests: 1 },
  { point: "request", grace: 60_000, living: "new", ended: "new", state: "connected", requests: 2 },
  { point: "rotated", grace: 60_000, living: "new", ended: "new", state: "connected", requests: 2 },
  { point: "outcome", grace: 60_000, living: "new", ended: "new", state: "connected", requests: 2 },
];

describe("68. a process that is killed while it renews a connection", () => {
  it.each(ROWS)("at $point, with $grace ms of grace: $living, then $ended", async (row) => {
    const { point, grace } = row;
    provider.hasGrace = grace > 0;
    const { accessToken, refreshToken } = await setting.connect(LIVING);
    await killedAt(point, grace);
    expect(await setting.record()).toMatchObject({ state: "refreshing" });
    expect(await setting.stored()).toBe(accessToken);
    // While the lease runs nobody sends the token again.
    const before = provider.spent.length;
    const connections = setting.process({ connector: { refresh: { grace, timeout: 10_000 } } });
    expect(gotOf(await connections.obtain(WANT, setting.request), accessToken)).toBe("old");
    expect(provider.spent).toHaveLength(before);
    expect(gotOf(await called({ later: AFTER_LEASE, grace }), accessToken)).toBe(row.living);
    const last = await called({ later: LIVING, grace });
    expect(gotOf(last, accessToken)).toBe(row.ended);
    expect((await setting.record())?.state).toBe(row.state);
    if (last.outcome === "obtained") expect(await setting.stored()).toBe(last.token);
    // One answered request ended it, whatever it said: nobody sends the token again.
    setting.clock.pass(LIVING + 1_000);
    await connections.obtain(WANT, setting.request);
    expect(provider.spent.filter((token) => token === refreshToken)).toHaveLength(row.requests);
    expect(provider.mostAtOnce()).toBe(1);
    expect(setting.disk()).not.toContain("-secret-");
  });

  it("leaves a call whose token has ended to wait for the lease, and not to send the token a second time", async () => {
    await setting.connect(ENDED);
    await killedAt("request", 0);
    const waiting = start({ later: 1_000, grace: 0, tellsWaiting: true });
    expect(await waiting.line()).toEqual({ at: "waiting" });
    expect(provider.spent).toHaveLength(1);
    expect(gotOf(await called({ later: AFTER_LEASE, grace: 0 }), "")).toBe("new");
    // It finds what the other made durable.
    expect(gotOf(await outcomeOf(waiting), "")).toBe("new");
    expect(provider.spent).toHaveLength(2);
  });
});

interface Caller {
  readonly child: ChildProcess;
  /** Of what it says, the next one. */
  line(): Promise<CallerLine>;
}

function start(options: Omit<CallerOptions, "folder" | "url">): Caller {
  const given = JSON.stringify({ folder: setting.folder, url: provider.url, ...options } satisfies CallerOptions);
  const child = spawn(process.execPath, [join(import.meta.dirname, "support/caller.ts"), given], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    line: async () => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error("the process ended without a word");
      return JSON.parse(value) as CallerLine;
    },
  };
}

async function outcomeOf(caller: Caller): Promise<ConnectionOutcome> {
  const line = await caller.line();
  if (!("got" in line)) throw new Error(`the process stands at ${line.at}`);
  return line.got as ConnectionOutcome;
}

const called = (options: Omit<CallerOptions, "folder" | "url">) => outcomeOf(start(options));

async function killedAt(point: Point, grace: number): Promise<void> {
  const arrived = Promise.withResolvers<void>();
  if (point === "request" || point === "rotated") {
    provider.onRequest = () => arrived.resolve();
    // A function that never answers leaves the token as it is.
    provider.behaviours.push(point === "rotated" ? "silent" : () => undefined);
  }
  const standsAt = point === "intent" || point === "outcome" ? { standsAt: point } : {};
  const { child, line } = start({ later: 0, grace, ...standsAt });
  const closed = once(child, "close");
  await ("standsAt" in standsAt ? line() : arrived.promise);
  provider.onRequest = undefined;
  child.kill("SIGKILL");
  await closed;
  expect(child.signalCode).toBe("SIGKILL");
}
