import { describe, expect, test } from "vitest";
import { isUseDue, sessionExpiresAt } from "../../lib/stores/mcp-session-expiry.ts";
import type { McpSessionRecord, SessionReference } from "../../lib/stores/mcp-sessions.ts";
import { eventually } from "../support/eventually.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { INTRODUCTION, INTRODUCTIONS, NOTHING_SAID } from "./mcp-session-introductions.ts";
import {
  createdSession,
  endSession,
  expectListed,
  expectRecords,
  listedPages,
  recordsOf,
} from "./mcp-session-workings.ts";
import { MINUTE, mcpSession, mcpSessionEvent, newOrganizationId, upstreamSession } from "./records.ts";

/** Some sort before every cursor, some after, and one has the shape of one. */
const NO_CURSORS = ["", "0", "~", `${"9".repeat(16)}.${"A".repeat(43)}`, "12.short", "\u0000", "ÿ", "' OR 1=1 --"];

/** What every implementation of `McpSessions` does. */
export function mcpSessionsContract(engine: StoreEngine): void {
  describe(`agents' sessions on ${engine.name}`, () => {
    const opened = openedStores(engine);

    const created = (fields?: Partial<McpSessionRecord>) => createdSession(opened.stores, fields);
    const use = (reference: SessionReference, now: number) => opened.stores.mcpSessions.use(reference, now);
    const get = ({ sessionHash }: McpSessionRecord, now: number) => opened.stores.mcpSessions.get(sessionHash, now);
    const setLogLevel = (reference: SessionReference, now: number) =>
      opened.stores.mcpSessions.setLogLevel(reference, "warning", now);
    const introduce = (reference: SessionReference, now: number, introduction = INTRODUCTION) =>
      opened.stores.mcpSessions.introduce(reference, introduction, now);

    test("a session that was created is there as a whole, together with its event", async () => {
      const session = mcpSession({ logLevel: "error", transport: "sse" });
      const event = mcpSessionEvent(session, "session.started");
      await opened.stores.mcpSessions.create(session, event);
      expect(await use(session, session.startedAt)).toEqual(session);
      expect(await get(session, session.startedAt)).toEqual(session);
      expect(await recordsOf(opened.stores, session, 1)).toEqual([event]);
    });

    test("a session of nobody who is authenticated has no more than it was given, and is in no list", async () => {
      const { organizationId: _, issuer: __, agent: ___, user: ____, region: _____, ...anonymous } = mcpSession();
      await opened.stores.mcpSessions.create(anonymous, mcpSessionEvent(anonymous, "session.started"));
      expect(await use(anonymous, anonymous.startedAt)).toEqual(anonymous);
      expect(await endSession(opened.stores, anonymous, anonymous.startedAt)).toBe(true);
      expect(await use(anonymous, anonymous.startedAt)).toBeUndefined();
    });

    test("25. an unknown session and one of another principal are all the same to who presents them", async () => {
      const session = await created();
      const now = session.startedAt + 5 * MINUTE;
      for (const reference of [
        mcpSession(),
        { ...session, principal: mcpSession().principal },
        { ...session, principal: "" },
        { ...mcpSession(), principal: session.principal },
      ]) {
        expect(await use(reference, now)).toBeUndefined();
        expect(await setLogLevel(reference, now)).toBe(false);
        expect(await introduce(reference, now)).toBe(false);
      }
      expect(await get(session, now)).toEqual(session);
    });

    test("a use is written down when it is due, and until then the record stays as it is", async () => {
      const session = await created();
      const [early, due] = [session.startedAt + MINUTE - 1, session.startedAt + MINUTE];
      expect([isUseDue(session, early), isUseDue(session, due)]).toEqual([false, true]);
      expect(await use(session, early)).toEqual(session);
      expect(await get(session, early)).toEqual(session);
      const used = { ...session, lastSeenAt: due };
      expect(await use(session, due)).toEqual(used);
      expect(await get(session, due)).toEqual(used);
    });

    test("a log level that was set is part of the session, and setting it is no use", async () => {
      const session = await created();
      const later = session.startedAt + 5 * MINUTE;
      expect(await setLogLevel(session, later)).toBe(true);
      expect(await get(session, later)).toEqual({ ...session, logLevel: "warning" });
      expect(await opened.stores.mcpSessions.setLogLevel(session, "debug", later)).toBe(true);
      expect(await get(session, later)).toEqual({ ...session, logLevel: "debug" });
      expect(await use(session, later)).toEqual({ ...session, logLevel: "debug", lastSeenAt: later });
    });

    test("what a client says of itself later is part of the session in every process, the last time, and is no use of it", async () => {
      const upstreams = { library: upstreamSession() };
      const session = await created({ transport: "sse", logLevel: "error", upstreams, ...NOTHING_SAID });
      const other = await opened.another();
      const later = session.startedAt + 5 * MINUTE;
      for (const introduction of INTRODUCTIONS) {
        expect(await introduce(session, later, introduction)).toBe(true);
        expect(await other.mcpSessions.get(session.sessionHash, later)).toEqual({ ...session, ...introduction });
      }
      const known = { ...session, ...INTRODUCTIONS.at(-1), logLevel: "warning", lastSeenAt: later };
      expect(await setLogLevel(session, later)).toBe(true);
      expect(await other.mcpSessions.use(session, later)).toEqual(known);
      expect(await get(session, later)).toEqual(known);
    });

    test("25. a session that was ended is over on the very next request, in every process, with one record of it", async () => {
      const session = await created();
      const other = await opened.another();
      const now = session.startedAt + 1;
      expect(await other.mcpSessions.use(session, now)).toEqual(session);
      expect(await endSession(opened.stores, session, now)).toBe(true);
      for (const { mcpSessions } of [opened.stores, other]) {
        expect(await mcpSessions.use(session, now)).toBeUndefined();
        expect(await mcpSessions.get(session.sessionHash, now)).toBeUndefined();
        expect(await mcpSessions.setLogLevel(session, "info", now)).toBe(false);
        expect(await mcpSessions.introduce(session, INTRODUCTION, now)).toBe(false);
      }
      expect(await endSession(other, session, now)).toBe(false);
      expect(await endSession(opened.stores, session, now)).toBe(false);
      await expectRecords(opened.stores, session, ["session.started", "session.terminated"]);
    });

    test("the end of a session that never was is refused and leaves no record", async () => {
      const never = mcpSession();
      expect(await endSession(opened.stores, never, never.startedAt)).toBe(false);
      const session = await created({ organizationId: String(never.organizationId) });
      await expectRecords(opened.stores, session, ["session.started"]);
    });

    test("an organization's sessions are listed newest first, each once, and nobody else's", async () => {
      const organizationId = newOrganizationId();
      const now = Date.now();
      const ages = [50, 10, 40, 20, 30].map((age) => age * 1_000);
      const sessions = await Promise.all(ages.map((age) => created({ organizationId, startedAt: now - age })));
      await created({ startedAt: now });
      const hashes = sessions.toSorted((one, other) => other.startedAt - one.startedAt).map(hashOf);
      await expectListed(opened.stores, organizationId, now, hashes);
      const pages = await listedPages(opened.stores, organizationId, now, 2);
      expect(pages).toEqual([hashes.slice(0, 2), hashes.slice(2, 4), hashes.slice(4)]);
      const { items } = await opened.stores.mcpSessions.list(organizationId, now, { limit: 1 });
      expect(items).toEqual([sessions.find(({ sessionHash }) => sessionHash === hashes[0])]);
    });

    test("sessions that began in the same millisecond are each on one page", async () => {
      const organizationId = newOrganizationId();
      const startedAt = Date.now();
      const hashes = (await Promise.all(Array.from({ length: 7 }, () => created({ organizationId, startedAt }))))
        .map(hashOf)
        .toSorted()
        .toReversed();
      await expectListed(opened.stores, organizationId, startedAt, hashes);
      const pages = await listedPages(opened.stores, organizationId, startedAt, 3);
      expect(pages).toEqual([hashes.slice(0, 3), hashes.slice(3, 6), hashes.slice(6)]);
    });

    test("a list shows uses, log levels and names in the end, and no session that was ended or has expired", async () => {
      const organizationId = newOrganizationId();
      const now = Date.now();
      const [kept, ended] = [await created({ organizationId }), await created({ organizationId })];
      const expired = await created({ organizationId, startedAt: now - 180 * MINUTE });
      expect(sessionExpiresAt(expired)).toBeLessThan(now);
      await endSession(opened.stores, ended, now);
      await expectListed(opened.stores, organizationId, now, [kept.sessionHash]);
      const later = kept.startedAt + 5 * MINUTE;
      await use(kept, later);
      await setLogLevel(kept, later);
      await introduce(kept, later);
      await eventually(
        () => opened.stores.mcpSessions.list(organizationId, later, { limit: 10 }),
        ({ items: [one, ...others] }) =>
          others.length === 0 &&
          one?.lastSeenAt === later &&
          one.logLevel === "warning" &&
          one.clientInfo.name === INTRODUCTION.clientInfo.name,
      );
    });

    test.each(NO_CURSORS)("the text %j, which is no cursor, reads a list from the beginning", async (cursor) => {
      const session = await created();
      const organizationId = String(session.organizationId);
      await expectListed(opened.stores, organizationId, session.startedAt, [session.sessionHash]);
      const { items } = await opened.stores.mcpSessions.list(organizationId, session.startedAt, { limit: 10, cursor });
      expect(items.map(hashOf)).toEqual([session.sessionHash]);
    });

    test("sessions, their uses, log levels, names and ends survive a restart", async () => {
      const [kept, ended] = [await created(), await created()];
      const now = kept.startedAt + 5 * MINUTE;
      await use(kept, now);
      await setLogLevel(kept, now);
      await introduce(kept, now);
      await endSession(opened.stores, ended, now);
      await opened.reopen();
      expect(await use(kept, now)).toEqual({ ...kept, ...INTRODUCTION, lastSeenAt: now, logLevel: "warning" });
      expect(await use(ended, now)).toBeUndefined();
      expect(await endSession(opened.stores, ended, now)).toBe(false);
      await expectListed(opened.stores, String(kept.organizationId), now, [kept.sessionHash]);
    });
  });
}

function hashOf({ sessionHash }: McpSessionRecord): string {
  return sessionHash;
}
