import { describe, expect, test } from "vitest";
import { sessionExpired } from "../../lib/stores/mcp-session-expiry.ts";
import type { McpSessionRecord } from "../../lib/stores/mcp-sessions.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { INTRODUCTION } from "./mcp-session-introductions.ts";
import { createdSession, endSession, expectListed, expectRecords, recordsOf } from "./mcp-session-workings.ts";
import { MINUTE } from "./records.ts";

const HOUR = 60 * MINUTE;

/** How sessions of `McpSessions` end by themselves: never early, and at most a sixtieth of the timeout late. */
export function mcpSessionExpiryContract(engine: StoreEngine): void {
  describe(`agents' sessions on ${engine.name}`, () => {
    const opened = openedStores(engine);

    const created = (fields?: Partial<McpSessionRecord>) => createdSession(opened.stores, fields);
    const isLive = async ({ sessionHash }: McpSessionRecord, now: number) =>
      (await opened.stores.mcpSessions.get(sessionHash, now)) !== undefined;

    test.each([1_000, HOUR, 24 * HOUR])(
      "an unused session is live for its %d ms and over a sixtieth later",
      async (timeout) => {
        const session = await created({ timeout });
        const over = session.startedAt + timeout + Math.ceil(timeout / 60);
        expect(await isLive(session, session.startedAt + timeout - 1)).toBe(true);
        expect(await opened.stores.mcpSessions.use(session, over)).toBeUndefined();
        expect(await isLive(session, over)).toBe(false);
        expect(await opened.stores.mcpSessions.setLogLevel(session, "info", over)).toBe(false);
        expect(await opened.stores.mcpSessions.introduce(session, INTRODUCTION, over)).toBe(false);
        expect(await endSession(opened.stores, session, over)).toBe(false);
      },
    );

    test("a use that is not written down counts like one that is", async () => {
      for (const after of [0, MINUTE - 1, MINUTE]) {
        const session = await created();
        const usedAt = session.startedAt + after;
        expect(await opened.stores.mcpSessions.use(session, usedAt)).toBeDefined();
        expect([after, await isLive(session, usedAt + HOUR)]).toEqual([after, true]);
        expect([after, await isLive(session, usedAt + HOUR + MINUTE)]).toEqual([after, false]);
      }
    });

    test("a session lives on as long as it is used, and housekeeping leaves it alone", async () => {
      const session = await created();
      let now = session.startedAt;
      for (let i = 0; i < 5; i++) {
        now += HOUR - 1;
        expect(await opened.stores.mcpSessions.use(session, now)).toEqual({ ...session, lastSeenAt: now });
        await opened.housekeep();
      }
      expect(await isLive(session, now + HOUR)).toBe(true);
      await expectRecords(opened.stores, session, ["session.started"]);
      expect(await opened.stores.mcpSessions.use(session, now + HOUR + MINUTE)).toBeUndefined();
    });

    test("whoever notices an expiry, and however many do at once, it leaves one record, which is no end of anybody's", async () => {
      const other = await opened.another();
      const now = Date.now();
      const session = await created({ startedAt: now - 3 * HOUR });
      const noticed = await Promise.all(
        [opened.stores, other, opened.stores, other].flatMap((stores) => [
          stores.mcpSessions.use(session, now),
          stores.mcpSessions.get(session.sessionHash, now),
          opened.housekeep(),
        ]),
      );
      expect(noticed.filter((found) => found !== undefined)).toEqual([]);
      expect(await opened.stores.mcpSessions.setLogLevel(session, "info", now)).toBe(false);
      expect(await endSession(other, session, now)).toBe(false);
      await expectListed(opened.stores, String(session.organizationId), now, []);
      await opened.housekeep();
      const records = await recordsOf(opened.stores, session, 2);
      expect(records.filter(({ type }) => type !== "session.started")).toEqual([sessionExpired(session)]);
    });

    test("the record of an expiry is written although nobody asks for the session any more", async () => {
      const used = await created({ startedAt: Date.now() - 4 * HOUR });
      const lastSeenAt = used.startedAt + HOUR / 2;
      await opened.stores.mcpSessions.use(used, lastSeenAt);
      await opened.reopen();
      await opened.housekeep();
      const records = await recordsOf(opened.stores, used, 2);
      // By an alarm, it may have come before the use.
      expect([sessionExpired(used), sessionExpired({ ...used, lastSeenAt })]).toContainEqual(
        records.find(({ type }) => type === "session.expired"),
      );
      await opened.housekeep();
      await expectRecords(opened.stores, used, ["session.expired", "session.started"]);
    });

    test("a session that was ended does not expire", async () => {
      const session = await created({ startedAt: Date.now() - HOUR - MINUTE / 2 });
      expect(await endSession(opened.stores, session, session.startedAt)).toBe(true);
      await opened.housekeep();
      expect(await isLive(session, session.startedAt + 2 * HOUR)).toBe(false);
      await opened.housekeep();
      await expectRecords(opened.stores, session, ["session.started", "session.terminated"]);
    });
  });
}
