import { describe, expect, test } from "vitest";
import { TOLD_AT_ONCE } from "../../lib/stores/connection-changes.ts";
import type { ConnectionRecord, ConnectionState, RefreshOutcome } from "../../lib/stores/connections.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { creationThatFails, OTHERS, settleBesides } from "./beside-failure.ts";
import {
  connected,
  connection,
  connectionEvent,
  factsIn,
  intentOf,
  keyOf,
  newPair,
  outcomeOf,
  sealedTokens,
} from "./connection-records.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { everyPage } from "./every-page.ts";
import { recordedIn } from "./exchange-records.ts";
import { newOrganizationId } from "./records.ts";

/** What every implementation of `Connections` does. */
export function connectionsContract(engine: StoreEngine): void {
  describe(`connections on ${engine.name}`, () => {
    const opened = openedStores(engine);

    test("a connection reads back as it was made, with its event, also for another process", async () => {
      const another = await opened.another();
      const least = connection({
        scopes: [],
        canRefresh: false,
        organizationId: "",
        agent: "https://a.example/a.json",
      });
      const { account, expiresAt, ...bare } = least;
      // The longest tokens and scopes that are kept (D215), sealed.
      const sealed = sealedTokens({ tokens: "x".repeat(50_000) });
      const longest = connection({ sealed, scopes: ["y".repeat(16_384)], refusals: 3 });
      for (const record of [connection(), connection({ app: "x".repeat(600), retryAt: 7 }), bare, longest]) {
        const event = connectionEvent(record);
        expect(await opened.stores.connections.connect(record, event)).toBeUndefined();
        for (const { connections } of [opened.stores, another]) {
          expect(await connections.connection(keyOf(record))).toEqual(record);
          expect(await connections.connectionsOf(record.organizationId, record.person)).toEqual([factsIn(record)]);
        }
        expect(await recordedIn(opened.stores, event, 1)).toContain(event.id);
      }
    });

    test("67. a connection is found by all four parts of its key and by no three of them", async () => {
      const record = await connected(opened.stores, { agent: "client_one" });
      const others: Partial<ConnectionRecord>[] = [
        { organizationId: newOrganizationId() },
        { person: connection().person },
        { app: "ticket" },
        { app: "Tickets" },
        { agent: "" },
        { agent: "client_two" },
      ];
      for (const other of others) {
        expect(await opened.stores.connections.connection(keyOf({ ...record, ...other }))).toBeUndefined();
      }
      // Parts that would read as one text with another boundary.
      const one = await connected(opened.stores, { app: 'a","b', agent: "c" });
      expect(await opened.stores.connections.connection(keyOf({ ...one, app: "a", agent: 'b","c' }))).toBeUndefined();
    });

    test("connecting again replaces the connection and tells which one it was, whatever its state", async () => {
      const { connections } = opened.stores;
      for (const state of STATES) {
        const former = await connected(opened.stores);
        await bringTo(opened.stores, former, state);
        const found = await connections.connection(keyOf(former));
        const next = connection({ ...keyOf(former), scopes: ["more"] });
        expect(await connections.connect(next, connectionEvent(next))).toEqual(found);
        expect(await connections.connection(keyOf(former))).toEqual(next);
        expect(await connections.connectionsOf(next.organizationId, next.person)).toEqual([factsIn(next)]);
        expect(await connections.countByKey()).toMatchObject({ [next.sealed.keyId]: 1 });
        expect(await connections.countByKey()).not.toHaveProperty(former.sealed.keyId);
        expect((await connections.deleted(1000, LATER)).map(({ connectionId }) => connectionId)).not.toContain(
          former.connectionId,
        );
      }
    });

    test("of 8 parallel connections of one key, by two processes, each but the first replaces another", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const first = connection();
      const attempts = Array.from({ length: 8 }, () => connection(keyOf(first)));
      const replaced = await Promise.all(
        attempts.map((record, i) => (processes[i % 2] as Stores).connections.connect(record, connectionEvent(record))),
      );
      const left = await opened.stores.connections.connection(keyOf(first));
      const ids = [...replaced, left].map((record) => record?.connectionId);
      expect(ids.filter((id) => id === undefined)).toHaveLength(1);
      expect(new Set(ids).size).toBe(9);
    });

    test("68. an intent is written once: with it stands what is about to be spent", async () => {
      const { connections } = opened.stores;
      const record = await connected(opened.stores);
      const intent = intentOf(record);
      const { spentDigest, leaseUntil } = intent;
      const begun = { ...record, state: "refreshing", spentDigest, leaseUntil, attempt: 1 };
      expect(await connections.beginRefresh(intent)).toEqual({ isBegun: true, record: begun });
      expect(await connections.connection(keyOf(record))).toEqual(begun);
      // With the former attempt, with the present one while the lease runs, and after it.
      const again = [
        { intent, isBegun: false },
        { intent: intentOf(record, { formerAttempt: 1, now: leaseUntil - 1 }), isBegun: false },
        { intent: intentOf(record, { formerAttempt: 1, now: leaseUntil, leaseUntil: leaseUntil + 1 }), isBegun: true },
      ];
      for (const { intent: next, isBegun } of again)
        expect((await connections.beginRefresh(next)).isBegun).toBe(isBegun);
      expect(await connections.connection(keyOf(record))).toMatchObject({ attempt: 2, leaseUntil: leaseUntil + 1 });
    });

    test("68. of 50 parallel intents, of two processes, one is written and everybody learns of it", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const record = await connected(opened.stores);
      const intents = Array.from({ length: 50 }, () => intentOf(record));
      const results = await Promise.all(
        intents.map((intent, i) => (processes[i % 2] as Stores).connections.beginRefresh(intent)),
      );
      expect(results.filter(({ isBegun }) => isBegun)).toHaveLength(1);
      const winner = intents[results.findIndex(({ isBegun }) => isBegun)];
      const found = await opened.stores.connections.connection(keyOf(record));
      expect(found).toMatchObject({ attempt: 1, spentDigest: winner?.spentDigest });
      for (const result of results) expect(result.record).toEqual(found);
    });

    test("68. a refresh begins in each state but reconnect and deleted, and for no other connection", async () => {
      const { connections } = opened.stores;
      const begins = { connected: true, refreshing: true, uncertain: true, reconnect: false, deleted: false };
      for (const state of STATES) {
        const made = await connected(opened.stores);
        const record = await bringTo(opened.stores, made, state);
        // After every lease.
        const later = { now: Date.now() + 3_600_000, leaseUntil: Date.now() + 3_630_000 };
        const other = intentOf(record, { ...later, connectionId: connection().connectionId });
        expect(await connections.beginRefresh(other)).toEqual({ isBegun: false, record });
        const { isBegun } = await connections.beginRefresh(intentOf(record, later));
        expect({ state, isBegun }).toEqual({ state, isBegun: begins[state] });
      }
      const absent = connection();
      expect(await connections.beginRefresh(intentOf(absent))).toEqual({ isBegun: false, record: undefined });
    });

    test("68. each outcome leaves what it says, with its event, and counts once", async () => {
      const { connections } = opened.stores;
      const pair = newPair({ expiresAt: 12_345 });
      const endless = newPair({ canRefresh: false });
      const rows: readonly [RefreshOutcome["change"], (former: ConnectionRecord, digest: string) => object][] = [
        [pair, (former) => ({ ...former, ...pair })],
        [endless, ({ expiresAt, ...former }) => ({ ...former, ...endless })],
        [{ state: "connected" }, (former) => former],
        [{ state: "connected", retryAt: 9 }, (former) => ({ ...former, retryAt: 9 })],
        [{ state: "connected", retryAt: 9, refusals: 2 }, (former) => ({ ...former, retryAt: 9, refusals: 2 })],
        [{ state: "uncertain" }, (former, spentDigest) => ({ ...former, state: "uncertain", spentDigest })],
        [
          { state: "uncertain", retryAt: 9 },
          (former, spentDigest) => ({ ...former, state: "uncertain", spentDigest, retryAt: 9 }),
        ],
        [{ state: "reconnect" }, (former, spentDigest) => ({ ...former, state: "reconnect", spentDigest })],
      ];
      for (const [change, after] of rows) {
        const record = await connected(opened.stores);
        const intent = intentOf(record);
        await connections.beginRefresh(intent);
        const event = connectionEvent(record, "connection.refreshed");
        expect(await connections.settleRefresh(outcomeOf(intent, change), event)).toBe(true);
        const expected = { ...after(record, intent.spentDigest), attempt: 1 };
        expect(await connections.connection(keyOf(record))).toEqual(expected);
        expect(await recordedIn(opened.stores, event, 1)).toEqual([event.id]);
        // Who read the tokens before this attempt does not spend them any more.
        const stale = intentOf(record, { now: intent.leaseUntil });
        expect(await connections.beginRefresh(stale)).toEqual({ isBegun: false, record: expected });
        if (!("sealed" in change)) {
          const late = connectionEvent(record, "connection.lost");
          expect(await connections.settleRefresh(outcomeOf(intent, { state: "reconnect" }), late)).toBe(false);
          expect(await connections.connection(keyOf(record))).toEqual(expected);
        }
      }
    });

    test("68. a slow holder's new pair lands after its lease, in whatever came of the repetition, and once", async () => {
      const { connections } = opened.stores;
      const between: readonly (RefreshOutcome["change"] | undefined)[] = [
        undefined,
        { state: "uncertain" },
        { state: "reconnect" },
      ];
      for (const change of between) {
        const record = await connected(opened.stores);
        const slow = intentOf(record, { leaseUntil: Date.now() });
        await connections.beginRefresh(slow);
        // The same refresh token, by somebody else, after the lease.
        const quick = { ...slow, formerAttempt: 1, now: slow.leaseUntil + 1, leaseUntil: slow.leaseUntil + 30_000 };
        expect((await connections.beginRefresh(quick)).isBegun).toBe(true);
        if (change !== undefined) expect(await connections.settleRefresh(outcomeOf(quick, change))).toBe(true);
        const pair = newPair();
        expect(await connections.settleRefresh(outcomeOf(slow, pair))).toBe(true);
        const { expiresAt, ...former } = record;
        const expected = { ...former, ...pair, attempt: 2 };
        expect(await connections.connection(keyOf(record))).toEqual(expected);
        for (const late of [newPair(), { state: "reconnect" }, { state: "uncertain" }] as const) {
          expect(await connections.settleRefresh(outcomeOf(quick, late))).toBe(false);
        }
        expect(await connections.connection(keyOf(record))).toEqual(expected);
      }
    });

    test("68. a former holder's late failure does not end the present holder's lease", async () => {
      const { connections } = opened.stores;
      const failures = [{ state: "uncertain" }, { state: "reconnect" }, { state: "connected" }] as const;
      for (const failure of failures) {
        const record = await connected(opened.stores);
        const slow = intentOf(record, { leaseUntil: Date.now() });
        await connections.beginRefresh(slow);
        const present = { ...slow, formerAttempt: 1, now: slow.leaseUntil, leaseUntil: slow.leaseUntil + 30_000 };
        const { record: begun } = await connections.beginRefresh(present);
        expect(await connections.settleRefresh(outcomeOf(slow, failure))).toBe(false);
        expect(await connections.connection(keyOf(record))).toEqual(begun);
      }
    });

    test("68. no outcome counts for another token, another connection or one that is gone", async () => {
      const { connections } = opened.stores;
      const record = await connected(opened.stores);
      const intent = intentOf(record);
      await connections.beginRefresh(intent);
      const found = await connections.connection(keyOf(record));
      const outcome = outcomeOf(intent, newPair());
      const wrong: Partial<RefreshOutcome>[] = [
        { spentDigest: intentOf(record).spentDigest },
        { connectionId: connection().connectionId },
        { key: keyOf(connection()) },
      ];
      for (const fields of wrong) expect(await connections.settleRefresh({ ...outcome, ...fields })).toBe(false);
      expect(await connections.connection(keyOf(record))).toEqual(found);
    });

    test("68. of 50 parallel outcomes of one token one counts", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const record = await connected(opened.stores);
      const intent = intentOf(record);
      await opened.stores.connections.beginRefresh(intent);
      const event = connectionEvent(record, "connection.refreshed");
      const attempts = Array.from({ length: 50 }, () => ({
        outcome: outcomeOf(intent, newPair()),
        own: connectionEvent(record, "connection.refreshed"),
      }));
      const results = await Promise.all(
        attempts.map(({ outcome, own }, i) => (processes[i % 2] as Stores).connections.settleRefresh(outcome, own)),
      );
      const winners = attempts.filter((_, i) => results[i]);
      expect(winners).toHaveLength(1);
      expect(await opened.stores.connections.connection(keyOf(record))).toMatchObject(winners[0]?.outcome.change ?? {});
      expect(await recordedIn(opened.stores, event, 1)).toEqual([winners[0]?.own.id]);
    });

    test("refresh against disconnection: what was begun before settles nothing, and its pair is nowhere", async () => {
      const { connections } = opened.stores;
      const processes = [opened.stores, await opened.another()] as const;
      const record = await connected(opened.stores);
      const intent = intentOf(record);
      await connections.beginRefresh(intent);
      const pair = newPair();
      const attempts = Array.from({ length: 20 }, async (_, i) => {
        const { connections: ours } = processes[i % 2] as Stores;
        const event = connectionEvent(record, "connection.revoked");
        const former = await ours.disconnect(keyOf(record), record.connectionId, event);
        expect(await ours.settleRefresh(outcomeOf(intent, pair))).toBe(false);
        expect((await ours.beginRefresh(intentOf(record, { formerAttempt: 1 }))).isBegun).toBe(false);
        return former === undefined ? [] : [{ former, event }];
      });
      const [only, ...others] = (await Promise.all(attempts)).flat();
      expect(others).toEqual([]);
      expect(only?.former).toMatchObject({ connectionId: record.connectionId, sealed: record.sealed });
      const found = await connections.connection(keyOf(record));
      const { time = 0 } = only?.event ?? {};
      expect(found).toEqual({
        ...{ ...record, state: "deleted", attempt: 1 },
        ...{ deletedAt: time, retryAt: time + TOLD_AT_ONCE },
      });
      expect(await recordedIn(opened.stores, connectionEvent(record, "connection.revoked"), 1)).toEqual([
        only?.event.id,
      ]);
    });

    test("a disconnected connection is listed nowhere but among the deleted, until it is purged", async () => {
      const { connections } = opened.stores;
      const [record, kept] = [await connected(opened.stores), await connected(opened.stores)];
      const stays = await connected(opened.stores, { ...keyOf(record), app: "other" });
      const revoked = () => connectionEvent(record, "connection.revoked");
      const another = connection().connectionId;
      expect(await connections.disconnect(keyOf(record), another, revoked())).toBeUndefined();
      expect(await connections.disconnect(keyOf(kept), record.connectionId, revoked())).toBeUndefined();
      await connections.purge(keyOf(record), record.connectionId, revoked());
      expect(await connections.connection(keyOf(record))).toEqual(record);
      const event = revoked();
      expect(await connections.disconnect(keyOf(record), record.connectionId, event)).toEqual(record);
      const gone = { ...record, state: "deleted", deletedAt: event.time, retryAt: event.time + TOLD_AT_ONCE };
      expect(await connections.connection(keyOf(record))).toEqual(gone);
      expect(await connections.connectionsOf(record.organizationId, record.person)).toEqual([factsIn(stays)]);
      expect(await everyPage((page) => connections.connectionsIn(record.organizationId, page), 1)).toEqual([
        factsIn(stays),
      ]);
      expect(await connections.deleted(1000, LATER)).toContainEqual(gone);
      expect(await connections.countByKey()).toMatchObject({ [record.sealed.keyId]: 1 });
      await connections.purge(keyOf(record), another, revoked());
      expect(await connections.connection(keyOf(record))).toEqual(gone);
      const purged = revoked();
      await connections.purge(keyOf(record), record.connectionId, purged);
      await connections.purge(keyOf(record), record.connectionId, revoked());
      expect(await connections.connection(keyOf(record))).toBeUndefined();
      expect(await connections.deleted(1000, LATER)).not.toContainEqual(gone);
      expect(await connections.countByKey()).not.toHaveProperty(record.sealed.keyId);
      const ids = await recordedIn(opened.stores, event, 2);
      expect([...ids].sort()).toEqual([event.id, purged.id].sort());
      expect(await connections.connection(keyOf(kept))).toEqual(kept);
    });

    test("of the deleted as many are shown as were asked for", async () => {
      const { connections } = opened.stores;
      for (let i = 0; i < 3; i++) await bringTo(opened.stores, await connected(opened.stores), "deleted");
      expect(await connections.deleted(2, LATER)).toHaveLength(2);
    });

    test("the last use only grows, and belongs to one connection that is not deleted", async () => {
      const { connections } = opened.stores;
      const record = await connected(opened.stores, { lastUsedAt: 1000 });
      const lastUsedAt = async () => (await connections.connection(keyOf(record)))?.lastUsedAt;
      const uses = [
        { id: record.connectionId, at: 999, after: 1000 },
        { id: connection().connectionId, at: 2000, after: 1000 },
        { id: record.connectionId, at: 2000, after: 2000 },
        { id: record.connectionId, at: 1500, after: 2000 },
      ];
      for (const { id, at, after } of uses) {
        await connections.noteUse(keyOf(record), id, at);
        expect(await lastUsedAt()).toBe(after);
      }
      await bringTo(opened.stores, record, "deleted");
      await connections.noteUse(keyOf(record), record.connectionId, 3000);
      expect(await lastUsedAt()).toBe(2000);
      await connections.noteUse(keyOf(connection()), record.connectionId, 3000);
    });

    test("67. a person's connections in an organization are listed by app and agent, without what is sealed", async () => {
      const { connections } = opened.stores;
      const own = keyOf(connection());
      const apps = [
        { app: "b", agent: "" },
        { app: "a", agent: "client_b" },
        { app: "a", agent: "" },
      ];
      const [b, ab, a] = await Promise.all(apps.map((app) => connected(opened.stores, { ...own, ...app })));
      await connected(opened.stores, { ...own, person: connection().person });
      await connected(opened.stores, { ...own, organizationId: newOrganizationId() });
      const listed = await connections.connectionsOf(own.organizationId, own.person);
      expect(listed).toEqual([a, ab, b].map((record) => record && factsIn(record)));
      for (const secret of [a?.sealed.tokens, a?.sealed.wrappedKey])
        expect(JSON.stringify(listed)).not.toContain(secret);
    });

    test("an organization's connections come in pages of any size, each once, and no others", async () => {
      const organizationId = newOrganizationId();
      const made = await Promise.all(
        Array.from({ length: 25 }, (_, i) => connected(opened.stores, { organizationId, app: `app-${i % 3}` })),
      );
      await bringTo(opened.stores, made[7] as ConnectionRecord, "deleted");
      await connected(opened.stores);
      const live = made.filter((_, i) => i !== 7).map(factsIn);
      const { connections } = opened.stores;
      const inOrder = (items: readonly { readonly connectionId: string }[]) =>
        [...items].sort((one, other) => (one.connectionId < other.connectionId ? -1 : 1));
      for (const limit of [1, 7, 24, 100]) {
        const listed = await everyPage((page) => connections.connectionsIn(organizationId, page), limit);
        expect(inOrder(listed)).toEqual(inOrder(live));
      }
      // A text that is no cursor of this list reads as the beginning.
      const all = await connections.connectionsIn(organizationId, { limit: 100 });
      for (const cursor of ["", "x", "999", "0.x", "bnVsbA", "WzFd"]) {
        expect(await connections.connectionsIn(organizationId, { limit: 100, cursor })).toEqual(all);
      }
    });

    test("67. what another key seals is listed in pages, deleted ones too, and rewrapped unless it changed", async () => {
      const { connections } = opened.stores;
      const newest = sealedTokens().keyId;
      const oldest = sealedTokens().keyId;
      const made = await Promise.all(
        Array.from({ length: 7 }, () => connected(opened.stores, { sealed: sealedTokens({ keyId: oldest }) })),
      );
      const ofNewest = await connected(opened.stores, { sealed: sealedTokens({ keyId: newest }) });
      const gone = await bringTo(opened.stores, made[0] as ConnectionRecord, "deleted");
      const expected = [gone, ...made.slice(1)];
      const otherwise = async () => {
        const all = await everyPage((page) => connections.sealedOtherwise(newest, page), 3);
        expect(all.map(({ connectionId }) => connectionId)).not.toContain(ofNewest.connectionId);
        return all.filter(({ sealed }) => sealed.keyId === oldest);
      };
      const found = await otherwise();
      expect(found).toHaveLength(expected.length);
      expect(found).toEqual(expect.arrayContaining(expected));
      expect(await connections.countByKey()).toMatchObject({ [oldest]: 7, [newest]: 1 });
      for (const record of found) {
        const next = { ...record.sealed, keyId: newest, wrappedKey: sealedTokens().wrappedKey };
        for (const field of ["keyId", "wrappedKey", "tokens"] as const) {
          const former = { ...record.sealed, [field]: "other" };
          expect(await connections.rewrap(keyOf(record), former, next)).toBe(false);
        }
        expect(await connections.rewrap(keyOf(record), record.sealed, next)).toBe(true);
        expect(await connections.rewrap(keyOf(record), record.sealed, next)).toBe(false);
        expect(await connections.connection(keyOf(record))).toEqual({ ...record, sealed: next });
      }
      expect(await otherwise()).toEqual([]);
      const counts = await connections.countByKey();
      expect(counts).toMatchObject({ [newest]: 8 });
      expect(counts).not.toHaveProperty(oldest);
    });

    test("67. rewrapping against a new pair: the pair is never replaced by the one before", async () => {
      const { connections } = opened.stores;
      for (let round = 0; round < 10; round++) {
        const record = await connected(opened.stores);
        const intent = intentOf(record);
        await connections.beginRefresh(intent);
        const pair = newPair();
        const next = { ...record.sealed, keyId: "next", wrappedKey: "wrapped anew" };
        const [isSettled] = await Promise.all([
          connections.settleRefresh(outcomeOf(intent, pair)),
          connections.rewrap(keyOf(record), record.sealed, next),
        ]);
        expect(isSettled).toBe(true);
        expect((await connections.connection(keyOf(record)))?.sealed).toEqual(pair.sealed);
      }
    });

    test("connections that are made and refreshed beside a failing write are kept", async () => {
      const organizationId = newOrganizationId();
      const made = Array.from({ length: OTHERS }, () => connection({ organizationId }));
      const intents = await Promise.all(made.map(async () => intentOf(await connected(opened.stores))));
      for (const intent of intents) await opened.stores.connections.beginRefresh(intent);
      const failing = await creationThatFails(opened.stores, newOrganizationId());
      const writes = [
        ...made.map((record) => ({
          write: ({ connections }: Stores) => connections.connect(record, connectionEvent(record)),
        })),
        ...intents.map((intent) => ({
          write: ({ connections }: Stores) => connections.settleRefresh(outcomeOf(intent, { state: "uncertain" })),
        })),
      ];
      await settleBesides(writes, failing, opened);
      const { connections } = opened.stores;
      for (const record of made) expect(await connections.connection(keyOf(record))).toEqual(record);
      for (const { key } of intents) expect(await connections.connection(key)).toMatchObject({ state: "uncertain" });
    });

    test("connections in every state survive a restart and what deletes the expired", async () => {
      const made: ConnectionRecord[] = [];
      for (const state of STATES) made.push(await bringTo(opened.stores, await connected(opened.stores), state));
      await opened.reopen();
      await opened.housekeep();
      for (const record of made) {
        expect(await opened.stores.connections.connection(keyOf(record))).toEqual(record);
      }
    });
  });
}

/** When all is due. */
const LATER = Date.UTC(2999, 0);

const STATES = ["connected", "refreshing", "uncertain", "reconnect", "deleted"] as const satisfies ConnectionState[];

/** The connection in a state, as it is stored. */
async function bringTo(
  { connections }: Stores,
  record: ConnectionRecord,
  state: ConnectionState,
): Promise<ConnectionRecord> {
  if (state === "deleted") {
    await connections.disconnect(keyOf(record), record.connectionId, connectionEvent(record, "connection.revoked"));
  } else if (state !== "connected") {
    const intent = intentOf(record);
    await connections.beginRefresh(intent);
    if (state !== "refreshing") await connections.settleRefresh(outcomeOf(intent, { state }));
  }
  const found = await connections.connection(keyOf(record));
  if (found?.state !== state) throw new Error(`the connection is ${found?.state}`);
  return found;
}
