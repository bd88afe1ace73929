import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { liftStop, placeStop } from "../../lib/stops/change-stops.ts";
import { personId } from "../../lib/stores/identities.ts";
import { indexStops, stopOf } from "../../lib/stores/stop-subjects.ts";
import { STOPS_OF_SIGNALS } from "../../lib/stores/stops.ts";
import { StoreUnavailableError } from "../../lib/stores/unavailable.ts";
import { connection } from "../contract/connection-records.ts";
import { EVENTS, type EventFields } from "../support/transmitter.ts";
import { type Receiving, startReceiving } from "./receiving.ts";

describe("what security events bring about", () => {
  let it: Receiving;
  beforeEach(async () => {
    it = await startReceiving();
    return () => it.stop();
  });

  const later = (seconds: number) => it.product.clock.set(it.product.clock.now() + seconds * 1_000);
  const owner = async () => {
    const { organizationId = "" } = (await it.product.dependencies.stores.directory.firstOrganization()) ?? {};
    return { id: "user_owner", organizationId };
  };
  const account = (id: string) => ({ kind: "person", id, issuer: it.transmitter.issuer });

  const ENDING: readonly (readonly [what: string, fields: EventFields])[] = [
    ["a revoked session", { type: EVENTS.sessionRevoked }],
    [
      "sessions that RISC calls revoked",
      { type: "https://schemas.openid.net/secevent/risc/event-type/sessions-revoked" },
    ],
    ...["revoke", "update", "delete"].map(
      (change) =>
        [
          `a credential change: ${change}`,
          { type: EVENTS.credentialChange, content: { change_type: change } },
        ] as const,
    ),
  ];

  test.each(ENDING)("%s ends what began before", async (_, fields) => {
    const content = { ...fields.content, event_timestamp: it.now() - 60 };
    expect(await it.pushed({ ...fields, content }, "alice")).toEqual({ status: 202 });
    const at = (it.now() - 59) * 1_000;
    expect(await it.stops()).toMatchObject([{ target: account("alice"), state: "ended", at, by: "signal:corp" }]);
    expect(await it.records("signal.received")).toMatchObject([
      {
        actor: "signal:corp",
        user: personId({ issuer: it.transmitter.issuer, subject: "alice" }),
        details: { connector: "corp", event: fields.type, jti: expect.any(String), effect: "ended" },
      },
    ]);
    const [placed] = await it.records("stop.placed");
    expect(placed?.details).toMatchObject({ event: fields.type, jti: expect.any(String), id: "alice" });
  });

  const IDLE: readonly (readonly [what: string, fields: EventFields, sub: string | undefined])[] = [
    ["a credential that is added", { type: EVENTS.credentialChange, content: { change_type: "create" } }, "alice"],
    ["a weaker sign-in", { type: EVENTS.assuranceChange }, "alice"],
    ["an event that nobody knows", { type: "https://example.com/events/lunch" }, undefined],
    ["an account that is enabled and was not disabled", { type: EVENTS.accountEnabled }, "alice"],
  ];

  test.each(IDLE)("%s is accepted and recorded, and ends nothing", async (_, fields, sub) => {
    expect(await it.pushed(fields, sub)).toEqual({ status: 202 });
    expect(await it.stops()).toEqual([]);
    const [{ details } = {}] = await it.records("signal.received");
    expect(details).toMatchObject({ event: fields.type, effect: "none" });
  });

  test("a verification is accepted, and its state is recorded", async () => {
    const subject = { format: "opaque", id: "stream-1" };
    expect(await it.pushed({ type: EVENTS.verification, subject, content: { state: "xyz" } })).toEqual({ status: 202 });
    expect(await it.records("signal.received")).toMatchObject([{ details: { effect: "none", state: "xyz" } }]);
  });

  test("a subject may be complex, one of several names, or stand in the event as it did before RFC 9493", async () => {
    const named = (sub: string) => ({ format: "iss_sub", iss: it.transmitter.issuer, sub });
    const session = { format: "opaque", id: "s1" };
    await it.pushed({ type: EVENTS.sessionRevoked, subject: { format: "complex", user: named("one"), session } });
    const email = { format: "email", email: "two@corp.example" };
    await it.pushed({
      type: EVENTS.sessionRevoked,
      subject: { format: "aliases", identifiers: [email, named("two")] },
    });
    const { format: _, ...rest } = named("three");
    const content = { subject: { subject_type: "iss-sub", ...rest } };
    await it.pushed({ type: EVENTS.sessionRevoked, content });
    await it.pushed({ type: EVENTS.sessionRevoked, content: { subject: { user: named("four"), session } } });
    expect((await it.stops()).map(({ target }) => target.id)).toEqual(["one", "two", "three", "four"]);
  });

  test("75. an event counts by the name of it that is known, wherever that stands, and not as two at once", async () => {
    const named = (...types: readonly string[]) => {
      const claims = { events: Object.fromEntries(types.map((type) => [type, {}])) };
      return it.pushed({ type: types[0] ?? "", claims }, "alice");
    };
    expect(await named("https://vendor.example/killed", EVENTS.sessionRevoked)).toEqual({ status: 202 });
    expect(await it.stops()).toMatchObject([{ target: account("alice"), state: "ended" }]);
    expect(await it.records("signal.received")).toMatchObject([{ details: { event: EVENTS.sessionRevoked } }]);
    const both = await named(EVENTS.accountDisabled, EVENTS.accountEnabled);
    expect([both.status, JSON.stringify(both)]).toEqual([400, expect.stringContaining("mean different things")]);
    expect(await it.stops()).toMatchObject([{ state: "ended" }]);
  });

  test("a disabled account is stopped until it is enabled, and that revives nothing", async () => {
    await it.pushed({ type: EVENTS.accountDisabled }, "alice");
    expect(await it.stops()).toMatchObject([{ target: account("alice"), state: "suspended" }]);
    later(10);
    await it.pushed({ type: EVENTS.sessionRevoked }, "alice");
    expect(await it.stops()).toMatchObject([{ state: "suspended" }]);
    await it.pushed({ type: EVENTS.accountEnabled }, "alice");
    expect(await it.stops()).toMatchObject([{ state: "ended", at: it.product.clock.now() }]);
    expect((await it.records("stop.lifted")).map(({ actor }) => actor)).toEqual(["signal:corp"]);
  });

  test("of events that overtake one another the latest counts", async () => {
    const at = it.now();
    later(60);
    await it.pushed({ type: EVENTS.accountDisabled, content: { event_timestamp: at } }, "alice");
    await it.pushed({ type: EVENTS.accountEnabled, content: { event_timestamp: at + 30 } }, "alice");
    await it.pushed({ type: EVENTS.accountDisabled, content: { event_timestamp: at + 20 } }, "alice");
    expect(await it.stops()).toMatchObject([{ state: "ended" }]);
    const session = { type: EVENTS.sessionRevoked, content: { event_timestamp: at } };
    const before = await it.stops();
    await it.pushed(session, "alice");
    expect(await it.stops()).toEqual(before);
    await it.pushed({ type: EVENTS.accountDisabled, content: { event_timestamp: at + 40 } }, "alice");
    expect(await it.stops()).toMatchObject([{ state: "suspended" }]);
    // Also while it is suspended already.
    await it.pushed({ type: EVENTS.accountPurged, content: { event_timestamp: at + 59 } }, "alice");
    await it.pushed({ type: EVENTS.accountEnabled, content: { event_timestamp: at + 50 } }, "alice");
    expect(await it.stops()).toMatchObject([{ state: "suspended", by: "signal:corp" }]);
  });

  test("what an owner suspended no event lifts", async () => {
    const { dependencies } = it.product;
    const place = async () =>
      placeStop(dependencies, await owner(), { ...account("alice"), state: "suspended", reason: "Left." });
    await it.pushed({ type: EVENTS.accountDisabled }, "alice");
    later(10);
    const { stop } = await place();
    later(10);
    expect(await it.pushed({ type: EVENTS.accountEnabled }, "alice")).toEqual({ status: 202 });
    const [left] = await it.stops();
    expect(left).toMatchObject({ stopId: stop?.stopId, state: "suspended", by: "user_owner", reason: "Left." });
    await liftStop(dependencies, await owner(), stop?.stopId ?? "", { reason: "Came back." });
    expect(await it.stops()).toMatchObject([{ state: "ended", by: "user_owner" }]);
  });

  test.each(["before", "after"])(
    "who was disabled %s an owner suspended them stays so when they are resumed",
    async (when) => {
      const { dependencies } = it.product;
      const disabled = () => it.pushed({ type: EVENTS.accountDisabled }, "alice");
      if (when === "before") await disabled();
      later(10);
      const suspension = { ...account("alice"), state: "suspended", reason: "Left." };
      const { stop } = await placeStop(dependencies, await owner(), suspension);
      later(10);
      if (when === "after") await disabled();
      const resume = async () => liftStop(dependencies, await owner(), stop?.stopId ?? "", { reason: "Came back." });
      await resume();
      expect(await it.stops()).toMatchObject([{ state: "suspended", by: "signal:corp" }]);
      later(10);
      await it.pushed({ type: EVENTS.accountEnabled }, "alice");
      expect(await it.stops()).toMatchObject([{ state: "ended" }]);
    },
  );

  test("an end that an owner placed lasts as long as they meant, also after a later event", async () => {
    const ending = { ...account("alice"), state: "ended", reason: "Lost a laptop." };
    const { stop } = await placeStop(it.product.dependencies, await owner(), ending);
    later(60);
    await it.pushed({ type: EVENTS.sessionRevoked }, "alice");
    expect(await it.stops()).toMatchObject([{ state: "ended", until: stop?.until }]);
  });

  test("a deleted account is stopped, and its connections serve no call", async () => {
    const { stores } = it.product.dependencies;
    const { organizationId } = await owner();
    const person = personId({ issuer: it.transmitter.issuer, subject: "alice" });
    const [own, other] = [connection({ organizationId, person }), connection({ organizationId })];
    for (const one of [own, other]) {
      const event = { id: crypto.randomUUID(), time: 0, type: "connection.completed", outcome: "success" } as const;
      await stores.connections.connect(one, event);
    }
    expect(await it.pushed({ type: EVENTS.accountPurged }, "alice")).toEqual({ status: 202 });
    expect(await it.stops()).toMatchObject([{ state: "suspended" }]);
    expect(await stores.connections.connectionsOf(organizationId, person)).toEqual([]);
    expect(await stores.connections.connectionsOf(organizationId, other.person)).toHaveLength(1);
    expect(await it.records("connection.revoked")).toMatchObject([{ actor: "signal:corp", user: person }]);
  });

  test("75. however many sessions end: the older ends are put together by groups of people, and all of them hold", async () => {
    const { stores } = it.product.dependencies;
    const now = it.product.clock.now();
    const issuer = it.transmitter.issuer;
    const ends = Array.from({ length: STOPS_OF_SIGNALS.stops * 0.75 }, (_, number) => ({
      ...{ stopId: `stop_${number}`, target: { kind: "person" as const, id: String(number), issuer } },
      ...{
        state: "ended" as const,
        at: now - 1_000_000 + number,
        until: now + 1_000_000,
        reason: "r",
        by: "signal:corp",
      },
    }));
    const event = { id: "1", time: 0, type: "stop.placed", outcome: "success" } as const;
    await stores.stops.replaceStops({ revision: 1, stops: ends }, event);
    expect(await it.pushed({ type: EVENTS.sessionRevoked }, "alice")).toEqual({ status: 202 });
    const stops = await it.stops();
    expect(stops.length).toBeLessThan(ends.length / 2 + 66);
    expect(stops.at(-1)).toMatchObject({ target: account("alice"), state: "ended" });
    const index = indexStops(stops);
    const isEnded = (subject: string, beganAt: number) =>
      [{ issuer, subject }, { subject: personId({ issuer, subject }) }].map(
        (name) => stopOf(index, { ...name, beganAt }) !== undefined,
      );
    for (const { target, at } of ends) expect(isEnded(target.id, at - 1)).toEqual([true, true]);
    expect(isEnded("somebody", now - 500_000)).toEqual([false, false]);
    expect((await it.records("signal.received"))[0]?.details?.effect).toBe("ended");
  });

  test("75. where there is no room for further stops, an event is to be sent again and taken when there is", async () => {
    const { stores } = it.product.dependencies;
    const at = it.product.clock.now();
    const stops = Array.from({ length: STOPS_OF_SIGNALS.stops }, (_, number) => ({
      ...{ stopId: `stop_${number}`, target: { kind: "person" as const, id: String(number), issuer: "https://x" } },
      ...{ state: "suspended" as const, at, reason: "r", by: "signal:corp" },
    }));
    const event = { id: "1", time: 0, type: "stop.placed", outcome: "success" } as const;
    await stores.stops.replaceStops({ revision: 1, stops }, event);
    const token = await it.event({ type: EVENTS.accountDisabled }, "alice");
    const answer = await it.push(token);
    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "5"]);
    expect(it.product.logs.some((line) => line.includes("at most 500 stops"))).toBe(true);
    await liftStop(it.product.dependencies, await owner(), "stop_7", { reason: "Left long ago." });
    expect((await it.push(token)).status).toBe(202);
    expect((await it.stops()).at(-1)).toMatchObject({ target: account("alice"), state: "suspended" });
  });
});

describe("a store that does not answer", () => {
  let it: Receiving;
  let away: string | undefined;
  beforeEach(async () => {
    away = undefined;
    it = await startReceiving({
      adapt: (dependencies) => {
        const { stores } = dependencies;
        const failing = <Store extends object>(name: string, store: Store): Store =>
          new Proxy(store, {
            get: (target, operation) => {
              const work = Reflect.get(target, operation) as (...args: readonly unknown[]) => Promise<unknown>;
              return (...args: readonly unknown[]) =>
                away === `${name}.${String(operation)}`
                  ? Promise.reject(new StoreUnavailableError(new Error("away")))
                  : work(...args);
            },
          });
        const names = ["stops", "singleUse", "auditLog"] as const;
        const replaced = Object.fromEntries(names.map((name) => [name, failing(name, stores[name])]));
        return { ...dependencies, stores: { ...stores, ...replaced } };
      },
    });
  });
  afterEach(() => it.stop());

  test.each(["singleUse.isUsed", "stops.readStops", "stops.replaceStops", "auditLog.append", "singleUse.consume"])(
    "is never answered 202: after %s the same event is taken when it is sent again",
    async (operation) => {
      const token = await it.event({ type: EVENTS.accountDisabled }, "alice");
      away = operation;
      expect((await it.push(token)).status).toBe(503);
      away = undefined;
      expect((await it.push(token)).status).toBe(202);
      expect(await it.stops()).toMatchObject([{ state: "suspended" }]);
      expect((await it.push(token)).status).toBe(202);
      expect(await it.stops()).toHaveLength(1);
    },
  );
});
