import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConnectionOutcome } from "../../lib/connections/person-connections.ts";
import type { ConnectionRecord, ConnectionState } from "../../lib/stores/connections.ts";
import { ALICE, gotOf, type Setting, startSetting, WANT } from "./support/setting.ts";
import { answers, type Behaviour, startTokenServer, type TokenServer } from "./support/token-server.ts";

let provider: TokenServer;
let setting: Setting;
beforeEach(async () => {
  provider = await startTokenServer();
  setting = startSetting(provider);
});
afterEach(async () => {
  await setting.settled();
  setting.close();
  await provider.close();
});

/** Short of the minute before its end, and the end itself: milliseconds. */
const [ENDING, ENDED] = [30_000, -1];
const LEASE = 30_000;

interface Row {
  readonly behaviours: readonly Behaviour[];
  readonly livesFor: number;
  readonly grace?: number;
  /** The upstream refused the token. */
  readonly isRefused?: true;
  readonly got: string;
  readonly state: ConnectionState;
  readonly requests: number;
  /** Milliseconds from this call to the next, and what that one gets. */
  readonly later?: {
    readonly after: number;
    readonly got: string;
    readonly state: ConnectionState;
    readonly requests: number;
  };
}

/** What a provider gives whose tokens are short, or stay the same. */
const pair = (name: string, seconds: number) => ({ access_token: name, refresh_token: "rt", expires_in: seconds });

const ROWS: Readonly<Record<string, Row>> = {
  "a token that lives on is not renewed": {
    ...{ behaviours: [], livesFor: 61_000, got: "old", state: "connected", requests: 0 },
  },
  "a token that is about to end is renewed": {
    ...{ behaviours: [], livesFor: ENDING, got: "new", state: "connected", requests: 1 },
  },
  "invalid_grant ends the connection, and nobody asks again": {
    ...{ behaviours: [answers(400, { error: "invalid_grant" })], livesFor: ENDING },
    ...{ got: "reconnect", state: "reconnect", requests: 1 },
    later: { after: 120_000, got: "reconnect", state: "reconnect", requests: 1 },
  },
  "an error in a 200 is one (GitHub)": {
    ...{ behaviours: [answers(200, { error: "bad_refresh_token" })], livesFor: ENDED },
    ...{ got: "reconnect", state: "reconnect", requests: 1 },
  },
  ...Object.fromEntries(
    ["interaction_required", "consent_required", "login_required"].map((error) => [
      `${error} is for the person to answer, who has to connect again`,
      {
        ...{ behaviours: [answers(400, { error })], livesFor: ENDED },
        ...{ got: "reconnect", state: "reconnect", requests: 1 },
      } satisfies Row,
    ]),
  ),
  ...Object.fromEntries(
    [400, 401, 403].map((status) => [
      `a ${status} that says nothing keeps the pair: something in between may have answered`,
      {
        ...{ behaviours: [answers(status, {})], livesFor: ENDED },
        ...{ got: "unavailable: refused", state: "connected", requests: 1 },
        later: { after: 16_000, got: "new", state: "connected", requests: 2 },
      } satisfies Row,
    ]),
  ),
  "tokens that are too long for any store end the connection, and go back": {
    ...{ behaviours: [answers(200, pair("x".repeat(16_385), 600))], livesFor: ENDED },
    ...{ got: "reconnect", state: "reconnect", requests: 1 },
  },
  "those that are just short enough serve": {
    ...{ behaviours: [answers(200, { ...pair("x".repeat(16_384), 600), refresh_token: "y".repeat(16_384) })] },
    ...{ livesFor: ENDED, got: "new", state: "connected", requests: 1 },
  },
  "a token that is short from the beginning is used, and renewed once a call": {
    ...{ behaviours: [answers(200, pair("one", 30)), answers(200, pair("two", 30))], livesFor: ENDED },
    ...{ got: "new", state: "connected", requests: 1 },
    later: { after: 1_000, got: "new", state: "connected", requests: 2 },
  },
  "one that has ended when it comes is not, nor is another one asked for": {
    ...{ behaviours: [answers(200, pair("one", -1))], livesFor: ENDED },
    ...{ got: "unavailable: ended", state: "connected", requests: 1 },
  },
  "the same token again is what there is, also after the upstream refused it": {
    ...{ behaviours: [answers(200, pair("at-of-rt-secret-1", 600))], livesFor: 3_600_000, isRefused: true },
    ...{ got: "old", state: "connected", requests: 1 },
  },
  "another error keeps the pair": {
    ...{ behaviours: [answers(401, { error: "invalid_client" })], livesFor: ENDED },
    ...{ got: "unavailable: refused", state: "connected", requests: 1 },
    later: { after: 16_000, got: "new", state: "connected", requests: 2 },
  },
  "a provider that is down is left alone, and the former token serves": {
    ...{ behaviours: [answers(503, {})], livesFor: ENDING, got: "old", state: "connected", requests: 1 },
    later: { after: 4_000, got: "old", state: "connected", requests: 1 },
  },
  "it is asked when it wished to be": {
    ...{ behaviours: [answers(429, {}, { "retry-after": "40" })], livesFor: ENDED },
    ...{ got: "unavailable: throttled", state: "connected", requests: 1 },
    later: { after: 41_000, got: "new", state: "connected", requests: 2 },
  },
  "and not before": {
    ...{ behaviours: [answers(429, {}, { "retry-after": "40" })], livesFor: ENDED },
    ...{ got: "unavailable: throttled", state: "connected", requests: 1 },
    later: { after: 39_000, got: "unavailable: backing_off", state: "connected", requests: 1 },
  },
  "an answer that was cut leaves the former token in use, and the spent one is not sent again while that lives": {
    ...{ behaviours: ["cut_after"], livesFor: ENDING, got: "old", state: "uncertain", requests: 1 },
    later: { after: 20_000, got: "old", state: "uncertain", requests: 1 },
  },
  "then it is sent once more, and a strict provider ends the grant": {
    ...{ behaviours: ["cut_after"], livesFor: ENDING, got: "old", state: "uncertain", requests: 1 },
    later: { after: ENDING, got: "reconnect", state: "reconnect", requests: 2 },
  },
  "nothing is lost where the provider had not rotated": {
    ...{ behaviours: ["cut_before"], livesFor: ENDING, got: "old", state: "uncertain", requests: 1 },
    later: { after: ENDING, got: "new", state: "connected", requests: 2 },
  },
  "a provider that stays silent is one whose answer was cut": {
    ...{ behaviours: ["silent"], livesFor: ENDED, got: "unavailable: unclear", state: "uncertain", requests: 1 },
  },
  "an answer that says nothing is unclear, too": {
    ...{ behaviours: [answers(200, {})], livesFor: ENDED },
    ...{ got: "unavailable: unclear", state: "uncertain", requests: 1 },
  },
  "within its grace it is asked again at once, and nothing is lost": {
    ...{ behaviours: ["cut_after"], livesFor: ENDED, grace: 10_000, got: "new", state: "connected", requests: 2 },
  },
  "also where two answers are lost": {
    ...{ behaviours: ["cut_after", "cut_after"], livesFor: ENDED, grace: 10_000 },
    ...{ got: "new", state: "connected", requests: 3 },
  },
  "a repetition without an answer waits before the next": {
    ...{ behaviours: ["cut_before", "cut_before"], livesFor: ENDED },
    ...{ got: "unavailable: unclear", state: "uncertain", requests: 1 },
    later: { after: 1_000, got: "unavailable: unclear", state: "uncertain", requests: 2 },
  },
};

describe("68. renewing the tokens of a connection", () => {
  it.each(Object.entries(ROWS))("%s", async (_, { behaviours, livesFor, grace = 0, isRefused, later, ...expected }) => {
    // Only for those that get no answer is the time short: a busy machine may need more for all others.
    const timeout = behaviours.includes("silent") ? 1_000 : 10_000;
    const connections = setting.process({ connector: { refresh: { grace, timeout } } });
    provider.behaviours.push(...behaviours);
    provider.hasGrace = grace > 0;
    const { accessToken } = await setting.connect(livesFor);
    const call = async () => {
      const refused = isRefused && accessToken;
      const got = gotOf(await connections.obtain(WANT, setting.request, refused), accessToken);
      return { got, state: (await setting.record())?.state, requests: provider.spent.length };
    };
    expect(await call()).toEqual(expected);
    if (later === undefined) return;
    const { after, ...then } = later;
    setting.clock.pass(after);
    expect(await call()).toEqual(then);
  });

  it("keeps the pair while the provider cannot be reached at all", async () => {
    await setting.connect(ENDED);
    await provider.close();
    const connections = setting.process();
    expect(await connections.obtain(WANT, setting.request)).toEqual({ outcome: "unavailable", reason: "not_sent" });
    expect(await setting.record()).toMatchObject({ state: "connected", canRefresh: true });
  });

  it("asks once for 50 calls at the second of expiry, in two processes with clocks 20 seconds apart", async () => {
    const { accessToken } = await setting.connect(ENDED);
    const processes = [setting.process(), setting.process({ ahead: 20_000 })];
    const calls = Array.from({ length: 50 }, (_, n) => processes[n % 2]?.obtain(WANT, setting.request));
    const outcomes = await Promise.all(calls);
    for (const outcome of outcomes) expect(gotOf(outcome as ConnectionOutcome, accessToken)).toBe("new");
    expect(provider.spent).toHaveLength(1);
  });

  it("stores the pair before any call has it", async () => {
    const { accessToken } = await setting.connect(ENDED);
    let isStored = false;
    const settleRefresh: Setting["stores"]["connections"]["settleRefresh"] = async (...args) => {
      const isSettled = await setting.stores.connections.settleRefresh(...args);
      isStored = true;
      return isSettled;
    };
    const stores = { connections: { ...setting.stores.connections, settleRefresh } };
    const outcome = await setting.process({ stores }).obtain(WANT, setting.request);
    expect(gotOf(outcome, accessToken)).toBe("new");
    expect(isStored).toBe(true);
    expect(await setting.stored()).toBe((outcome as { token: string }).token);
  });

  it("gives nobody a pair that could not be stored", async () => {
    await setting.connect(ENDED);
    const settleRefresh = () => Promise.reject(new Error("the disk is full"));
    const stores = { connections: { ...setting.stores.connections, settleRefresh } };
    await expect(setting.process({ stores }).obtain(WANT, setting.request)).rejects.toThrow("the disk is full");
    expect((await setting.record())?.state).toBe("refreshing");
  });

  it.each([
    ["before its request, the next one renews with the same token when the lease is over", false, "new"],
    [
      "after a request that the provider carried out, the next one asks once more, which a strict provider refuses",
      true,
      "reconnect",
    ],
  ])("where a process died %s", async (_, isCarriedOut, expected) => {
    const { accessToken, refreshToken } = await setting.connect(ENDED);
    const beginRefresh = async (...args: Parameters<Setting["stores"]["connections"]["beginRefresh"]>) => {
      await setting.stores.connections.beginRefresh(...args);
      if (isCarriedOut) await spendElsewhere(refreshToken);
      throw new Error("killed");
    };
    const dying = setting.process({ stores: { connections: { ...setting.stores.connections, beginRefresh } } });
    await expect(dying.obtain(WANT, setting.request)).rejects.toThrow("killed");
    setting.clock.pass(LEASE);
    expect(gotOf(await setting.process().obtain(WANT, setting.request), accessToken)).toBe(expected);
  });

  it("serves the former token while it lives, where a process died in between", async () => {
    const { accessToken } = await setting.connect(ENDING);
    const beginRefresh = async (...args: Parameters<Setting["stores"]["connections"]["beginRefresh"]>) => {
      await setting.stores.connections.beginRefresh(...args);
      throw new Error("killed");
    };
    const dying = setting.process({ stores: { connections: { ...setting.stores.connections, beginRefresh } } });
    await expect(dying.obtain(WANT, setting.request)).rejects.toThrow("killed");
    expect(gotOf(await setting.process().obtain(WANT, setting.request), accessToken)).toBe("old");
    expect(provider.spent).toEqual([]);
  });

  it("takes a slow holder's pair, also when the repetition was refused meanwhile", async () => {
    const { accessToken } = await setting.connect(ENDED);
    const slow = Promise.withResolvers<void>();
    const isThere = Promise.withResolvers<void>();
    const settleRefresh: Setting["stores"]["connections"]["settleRefresh"] = async (...args) => {
      isThere.resolve();
      await slow.promise;
      return setting.stores.connections.settleRefresh(...args);
    };
    const stores = { connections: { ...setting.stores.connections, settleRefresh } };
    const first = setting.process({ stores }).obtain(WANT, setting.request);
    await isThere.promise;
    setting.clock.pass(LEASE);
    expect(gotOf(await setting.process().obtain(WANT, setting.request), accessToken)).toBe("reconnect");
    slow.resolve();
    expect(gotOf(await first, accessToken)).toBe("new");
    expect((await setting.record())?.state).toBe("connected");
  });

  it("revokes a pair whose connection was taken back meanwhile, and stores nothing", async () => {
    await setting.connect(ENDED);
    const connections = setting.process();
    const { connectionId } = (await setting.record()) as ConnectionRecord;
    provider.onRequest = async () => {
      provider.onRequest = undefined;
      await setting.process().disconnect(ALICE, connectionId, "user_alice", setting.request);
    };
    expect(gotOf(await connections.obtain(WANT, setting.request), "")).toBe("none");
    await setting.settled();
    expect(provider.revoked).toContain("rt-secret-2");
    expect(await setting.record()).toBeUndefined();
  });

  it("revokes a pair where the person was stopped meanwhile", async () => {
    await setting.connect(ENDED);
    provider.onRequest = () => {
      const target = { kind: "person" as const, id: ALICE.person };
      const stop = { stopId: "stop_1", target, state: "suspended" as const, at: setting.clock.now() };
      setting.stop([{ ...stop, reason: "lost laptop", by: "user_owner" }]);
    };
    const outcome = await setting.process().obtain(WANT, setting.request);
    expect(outcome).toEqual({ outcome: "unavailable", reason: "stopped" });
    expect(provider.revoked).toContain("rt-secret-2");
    expect((await setting.record())?.state).toBe("reconnect");
  });

  it("renews a token that the upstream refused once, whoever else was refused with it", async () => {
    const { accessToken } = await setting.connect(3_600_000);
    const connections = setting.process();
    const calls = Array.from({ length: 10 }, () => connections.obtain(WANT, setting.request, accessToken));
    for (const outcome of await Promise.all(calls)) expect(gotOf(outcome, accessToken)).toBe("new");
    expect(provider.spent).toHaveLength(1);
  });

  it("gives ten calls whose token was refused what one of them renewed, also where it is short or the same", async () => {
    for (const answer of [pair("at-of-rt-secret-1", 600), pair("short", 30)]) {
      const { accessToken } = await setting.connect(3_600_000);
      provider.spent.length = 0;
      provider.behaviours.push(...Array.from({ length: 10 }, () => answers(200, answer)));
      const connections = setting.process();
      const calls = Array.from({ length: 10 }, () => connections.obtain(WANT, setting.request, accessToken));
      for (const outcome of await Promise.all(calls)) expect(outcome).toMatchObject({ token: answer.access_token });
      expect(provider.spent).toHaveLength(1);
      provider.behaviours.length = 0;
    }
  });

  it("lets no call wait for another one's renewal while the former token lives", async () => {
    const { accessToken } = await setting.connect(ENDING);
    const connections = setting.process();
    const arrived = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    provider.onRequest = () => {
      arrived.resolve();
      return answered.promise;
    };
    const first = connections.obtain(WANT, setting.request);
    await arrived.promise;
    // The provider answers only when this call has what it needs.
    expect(gotOf(await connections.obtain(WANT, setting.request), accessToken)).toBe("old");
    answered.resolve();
    expect(gotOf(await first, accessToken)).toBe("new");
  });

  it("makes one 401 end a connection that cannot be renewed: nothing else tells that its token was revoked", async () => {
    const of = { ...ALICE, agent: "agent_1", connector: "saas", perAgent: false, scopes: ["read"] };
    const origin = { tokenURL: `${provider.url}/token`, clientID: "countersign" };
    const connections = setting.process();
    await connections.complete(of, { accessToken: "for ever", scopes: ["read"], ...origin }, setting.request);
    expect(gotOf(await connections.obtain(WANT, setting.request), "for ever")).toBe("old");
    expect(gotOf(await connections.obtain(WANT, setting.request, "another"), "for ever")).toBe("old");
    expect(gotOf(await connections.obtain(WANT, setting.request, "for ever"), "")).toBe("reconnect");
    expect((await setting.record())?.state).toBe("reconnect");
  });

  it("uses nothing that is not durable, and loses nothing within a grace, whatever the connections do", async () => {
    const random = seeded(23);
    provider.hasGrace = true;
    const refresh = { grace: 10_000, timeout: 10_000 };
    const processes = [setting.process({ connector: { refresh } }), setting.process({ connector: { refresh } })];
    await setting.connect(ENDED);
    for (let round = 0; round < 60; round++) {
      if (random() < 0.4) provider.behaviours.push(random() < 0.5 ? "cut_after" : "cut_before");
      const calls = Array.from({ length: 4 }, (_, n) => processes[n % 2]?.obtain(WANT, setting.request));
      for (const call of calls) {
        const outcome = await call;
        if (outcome?.outcome === "obtained") expect(outcome.token).toBe(await setting.stored());
        expect(outcome?.outcome).not.toBe("not_connected");
      }
      setting.clock.pass(provider.lifetime * 1_000);
    }
    expect(provider.mostAtOnce()).toBe(1);
  }, 30_000);
});

/** Somebody whose answer nobody hears. */
async function spendElsewhere(refreshToken: string): Promise<void> {
  const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken });
  await (await fetch(`${provider.url}/token`, { method: "POST", body })).text();
}

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
