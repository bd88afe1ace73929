import { beforeAll, describe, expect, test } from "vitest";
import { isUseDue } from "../../lib/stores/mcp-session-expiry.ts";
import { MCP_LOG_LEVELS } from "../../lib/stores/mcp-sessions.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { INTRODUCTION } from "./mcp-session-introductions.ts";
import { createdSession, endSession, expectListed, expectRecords } from "./mcp-session-workings.ts";
import { MINUTE, mcpSession, mcpSessionEvent, upstreamSession } from "./records.ts";

const PARALLEL = 50;
const CREATIONS = 12;

/** Operations of `McpSessions` that meet, from two processes. */
export function mcpSessionRacesContract(engine: StoreEngine): void {
  describe(`agents' sessions on ${engine.name}`, () => {
    const opened = openedStores(engine);
    let other: Stores;
    beforeAll(async () => {
      other = await opened.another();
    });

    /** Every other call by the other process. */
    const inParallel = <T>(call: (stores: Stores, index: number) => Promise<T>): Promise<T>[] =>
      Array.from({ length: PARALLEL }, (_, i) => call(i % 2 === 0 ? opened.stores : other, i));

    test("of 50 parallel uses each finds the session, and none moves its time back", async () => {
      const session = await createdSession(opened.stores);
      const times = Array.from({ length: PARALLEL }, (_, i) => session.startedAt + 10_000 * ((i * 7) % PARALLEL));
      const latest = Math.max(...times);
      const uses = await Promise.all(inParallel(({ mcpSessions }, i) => mcpSessions.use(session, times[i] ?? 0)));
      expect(uses.filter((found) => found?.sessionHash !== session.sessionHash)).toEqual([]);
      const found = await opened.stores.mcpSessions.get(session.sessionHash, latest);
      if (found === undefined) throw new Error("the session is gone");
      expect([isUseDue(found, latest), times.includes(found.lastSeenAt)]).toEqual([false, true]);
      expect(await other.mcpSessions.use(session, session.startedAt)).toEqual(found);
    });

    test("25. use against end: each use finds the session or nothing, and after the end none does", async () => {
      const session = await createdSession(opened.stores);
      const now = session.startedAt + 5 * MINUTE;
      const uses = inParallel(({ mcpSessions }, i) => mcpSessions.use(session, now + i));
      expect(await endSession(other, session, now)).toBe(true);
      const late = await Promise.all(inParallel(({ mcpSessions }, i) => mcpSessions.use(session, now + i * MINUTE)));
      expect(late).toEqual(Array(PARALLEL).fill(undefined));
      const found = (await Promise.all(uses)).filter((use) => use !== undefined);
      expect(found.filter(({ sessionHash }) => sessionHash !== session.sessionHash)).toEqual([]);
      expect(await opened.stores.mcpSessions.get(session.sessionHash, now)).toBeUndefined();
      await expectListed(opened.stores, String(session.organizationId), now, []);
      await expectRecords(opened.stores, session, ["session.started", "session.terminated"]);
    });

    test("25. of 50 parallel ends of a session one ends it, and there is one record of it", async () => {
      const session = await createdSession(opened.stores);
      const ends = await Promise.all(inParallel((stores) => endSession(stores, session, session.startedAt)));
      expect(ends.filter(Boolean)).toHaveLength(1);
      await expectRecords(opened.stores, session, ["session.started", "session.terminated"]);
    });

    test("25. create against end: the session was ended with its record, or is there without", async () => {
      const sessions = Array.from({ length: CREATIONS }, () => mcpSession());
      const outcomes = await Promise.all(
        sessions.map(async (session) => {
          const creation = opened.stores.mcpSessions.create(session, mcpSessionEvent(session, "session.started"));
          const ended = await endSession(other, session, session.startedAt);
          await creation;
          return { session, ended };
        }),
      );
      for (const { session, ended } of outcomes) {
        const found = await other.mcpSessions.use(session, session.startedAt);
        expect(found).toEqual(ended ? undefined : session);
        await expectRecords(opened.stores, session, [
          "session.started",
          ...(ended ? ["session.terminated" as const] : []),
        ]);
      }
    });

    test("uses and log levels that are set at the same time lose nothing of each other", async () => {
      const session = await createdSession(opened.stores);
      const latest = session.startedAt + (PARALLEL - 1) * MINUTE;
      const levels = Promise.all(
        MCP_LOG_LEVELS.map((level) => other.mcpSessions.setLogLevel(session, level, session.startedAt)),
      );
      await Promise.all(inParallel(({ mcpSessions }, i) => mcpSessions.use(session, session.startedAt + i * MINUTE)));
      expect(await levels).toEqual(MCP_LOG_LEVELS.map(() => true));
      const found = await opened.stores.mcpSessions.get(session.sessionHash, latest);
      expect(found).toEqual({ ...session, lastSeenAt: latest, logLevel: expect.any(String) });
    });

    test("a log level and a name against end are set or refused, and bring no session back", async () => {
      const session = await createdSession(opened.stores);
      const set = ({ mcpSessions }: Stores) => mcpSessions.setLogLevel(session, "alert", session.startedAt);
      const introduce = ({ mcpSessions }: Stores) => mcpSessions.introduce(session, INTRODUCTION, session.startedAt);
      const changes = inParallel((stores, i) => (i % 4 < 2 ? set : introduce)(stores));
      expect(await endSession(opened.stores, session, session.startedAt)).toBe(true);
      expect([await set(other), await introduce(other)]).toEqual([false, false]);
      await Promise.all(changes);
      expect(await other.mcpSessions.get(session.sessionHash, session.startedAt)).toBeUndefined();
    });

    test("of 50 parallel first sessions at an upstream one is kept, and of 50 in its place one, which all then see", async () => {
      const session = await createdSession(opened.stores);
      let replaces: string | undefined;
      for (let round = 0; round < 2; round++) {
        const candidates = Array.from({ length: PARALLEL }, () => upstreamSession());
        const found = await Promise.all(
          inParallel(({ mcpSessions }, i) =>
            mcpSessions.setUpstream(session, "library", candidates[i] as never, replaces, session.startedAt),
          ),
        );
        const kept = await opened.stores.mcpSessions.get(session.sessionHash, session.startedAt);
        expect(candidates).toContainEqual(kept?.upstreams?.library);
        expect(found).toEqual(Array(PARALLEL).fill(kept));
        replaces = kept?.upstreams?.library?.key;
      }
    });

    test("sessions at upstreams, uses, log levels and names that are set at the same time lose nothing of each other", async () => {
      const session = await createdSession(opened.stores);
      const upstreams = Object.fromEntries(MCP_LOG_LEVELS.map((level) => [`app-${level}`, upstreamSession()]));
      const latest = session.startedAt + (PARALLEL - 1) * MINUTE;
      const sets = Promise.all(
        Object.entries(upstreams).map(([app, upstream], i) =>
          (i % 2 === 0 ? opened.stores : other).mcpSessions.setUpstream(session, app, upstream, undefined, latest),
        ),
      );
      const levels = MCP_LOG_LEVELS.map((level) => other.mcpSessions.setLogLevel(session, level, session.startedAt));
      const names = [opened.stores, other].map(({ mcpSessions }) =>
        mcpSessions.introduce(session, INTRODUCTION, latest),
      );
      await Promise.all(inParallel(({ mcpSessions }, i) => mcpSessions.use(session, session.startedAt + i * MINUTE)));
      await Promise.all([...levels, ...names]);
      for (const [i, found] of (await sets).entries()) {
        const app = `app-${MCP_LOG_LEVELS[i]}`;
        expect(found?.upstreams?.[app]).toEqual(upstreams[app]);
      }
      const found = await opened.stores.mcpSessions.get(session.sessionHash, latest);
      expect(found).toEqual({
        ...session,
        ...INTRODUCTION,
        upstreams,
        lastSeenAt: latest,
        logLevel: expect.any(String),
      });
    });

    test("a session at an upstream against end is kept or refused, and brings no session back", async () => {
      const session = await createdSession(opened.stores);
      const set = ({ mcpSessions }: Stores, i: number) =>
        mcpSessions.setUpstream(session, `app-${i}`, upstreamSession(), undefined, session.startedAt);
      const sets = inParallel(set);
      expect(await endSession(opened.stores, session, session.startedAt)).toBe(true);
      expect(await set(other, PARALLEL)).toBeUndefined();
      await Promise.all(sets);
      expect(await other.mcpSessions.get(session.sessionHash, session.startedAt)).toBeUndefined();
    });
  });
}
