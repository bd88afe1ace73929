import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gotOf, type Setting, startSetting, WANT } from "./support/setting.ts";
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

const ENDED = -1;

/** D215. */
describe("a provider that refuses to renew tokens and does not say why, or gives what cannot be kept", () => {
  it.each<[string, Behaviour, boolean]>([
    ["a 400 that says nothing", answers(400, { message: "Bad Request" }), true],
    ["a 401 that says nothing", answers(401, {}), true],
    ["a 403 with a page", (response) => response.writeHead(403).end("<html>"), true],
    ["an error that no standard has", answers(400, { error: "expired_somehow" }), true],
    ["an error that is the client's", answers(401, { error: "invalid_client" }), false],
    ["404, as of a wrong address", answers(404, {}), false],
  ])("after %s three times in a row, asks the person or not", async (_, behaviour, isAsked) => {
    const { accessToken } = await setting.connect(ENDED);
    const call = async () => gotOf(await setting.process().obtain(WANT, setting.request), accessToken);
    for (const expected of ["unavailable: refused", "unavailable: refused"]) {
      provider.behaviours.push(behaviour);
      expect(await call()).toBe(expected);
      setting.clock.pass(16_000);
    }
    provider.behaviours.push(behaviour);
    expect(await call()).toBe(isAsked ? "reconnect" : "unavailable: refused");
    // Meanwhile the provider is left alone, and hears nothing of the calls.
    expect(await call()).toBe(isAsked ? "reconnect" : "unavailable: backing_off");
    expect(provider.spent).toHaveLength(3);
    expect(setting.logs.some((line) => line.includes("client id or secret"))).toBe(isAsked);
    expect(await setting.process().connected(WANT, 1, AbortSignal.timeout(50))).toBe(!isAsked);
    // The pair is still there: an operator who mends the client's secret mends all connections.
    setting.clock.pass(181_000);
    expect(await call()).toBe("new");
    expect(await setting.record()).toMatchObject({ state: "connected" });
    expect(await setting.record()).not.toHaveProperty("refusals");
    expect(await setting.auditTypes()).not.toContain("connection.lost");
  });

  it("counts refusals in a row alone, and serves the former token while it lives", async () => {
    const { accessToken } = await setting.connect(59_000);
    const call = async () => gotOf(await setting.process().obtain(WANT, setting.request), accessToken);
    for (const behaviour of [answers(401, {}), answers(401, {}), answers(503, {}), answers(401, {})]) {
      provider.behaviours.push(behaviour);
      expect(await call()).toBe("old");
      setting.clock.pass(15_000);
    }
    provider.behaviours.push(answers(401, {}));
    expect(await call()).toBe("unavailable: refused");
  });

  it("takes tokens back that are too long", async () => {
    await setting.connect(ENDED);
    provider.behaviours.push(answers(200, { access_token: "x".repeat(20_000), refresh_token: "too-much" }));
    expect(gotOf(await setting.process().obtain(WANT, setting.request), "")).toBe("reconnect");
    expect(provider.revoked).toContain("too-much");
    expect(setting.logs.join()).toContain("gave an access token of 20000 bytes; at most 16384 are kept");
    expect(await setting.auditTypes()).toContain("connection.lost");
  });
});

/** Of a provider that takes its time: milliseconds. */
const FORTY_SECONDS = 40_000;

describe("68. a provider that is slow", () => {
  it.each([
    ["a strict one ends the grant that it renewed too late", 0, "reconnect"],
    ["with a grace nothing is lost", 60_000, "new"],
  ])("that takes 40 seconds did it after everybody went: %s", async (_, grace, expected) => {
    provider.hasGrace = grace > 0;
    const { accessToken, refreshToken } = await setting.connect(30_000);
    const connections = setting.process({ connector: { refresh: { grace, timeout: 1_000 } } });
    const held = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    provider.onRequest = () => held.promise;
    provider.onDone = done.resolve;
    // Its time is over before the provider is done. The call is served all the same.
    expect(gotOf(await connections.obtain(WANT, setting.request), accessToken)).toBe("old");
    expect((await setting.record())?.state).toBe("uncertain");
    setting.clock.pass(FORTY_SECONDS);
    provider.onRequest = undefined;
    held.resolve();
    await done.promise;
    expect(
      gotOf(
        await setting.process({ connector: { refresh: { grace, timeout: 2_000 } } }).obtain(WANT, setting.request),
        accessToken,
      ),
    ).toBe(expected);
    expect(new Set(provider.spent)).toEqual(new Set([refreshToken]));
  });

  it("as slow as it may be is asked by one of two processes whose clocks are 20 seconds apart", async () => {
    const { accessToken } = await setting.connect(ENDED);
    const refresh = { grace: 0, timeout: 25_000 };
    const [slow, other] = [
      setting.process({ connector: { refresh } }),
      setting.process({ connector: { refresh }, ahead: 20_000 }),
    ];
    const arrived = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    provider.onRequest = () => {
      arrived.resolve();
      return held.promise;
    };
    const first = slow.obtain(WANT, setting.request);
    await arrived.promise;
    setting.clock.pass(refresh.timeout - 1);
    let looks = 0;
    const looked = Promise.withResolvers<void>();
    const connection: Setting["stores"]["connections"]["connection"] = (key) => {
      if (++looks === 4) looked.resolve();
      return setting.stores.connections.connection(key);
    };
    const stores = { connections: { ...setting.stores.connections, connection } };
    const waiting = setting.process({ connector: { refresh }, ahead: 20_000, stores }).obtain(WANT, setting.request);
    // It finds the lease of the first, again and again.
    await looked.promise;
    expect(provider.spent).toHaveLength(1);
    held.resolve();
    for (const call of [first, waiting, other.obtain(WANT, setting.request)]) {
      expect(gotOf(await call, accessToken)).toBe("new");
    }
    expect(provider.spent).toHaveLength(1);
  });
});
