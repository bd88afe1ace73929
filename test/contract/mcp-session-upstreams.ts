import { beforeAll, describe, expect, test } from "vitest";
import { sessionExpiresAt } from "../../lib/stores/mcp-session-expiry.ts";
import { UPSTREAMS_LIMIT, upstreamSize, upstreamsSize } from "../../lib/stores/mcp-session-upstreams.ts";
import type { McpSessionRecord, SessionReference, UpstreamSession } from "../../lib/stores/mcp-sessions.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { createdSession, endSession, expectListed } from "./mcp-session-workings.ts";
import { MINUTE, mcpSession, upstreamSession } from "./records.ts";

/** Some are what every object has, some what a store may call its own attributes, some what its language reads. */
const APPS = [
  "library",
  "constructor",
  "upstreamsSize",
  "upstream#library",
  "a.b[0]",
  "#:ü 🙂",
  "pk",
  "' OR 1=1 --",
  "7",
];
const MOST_APPS = 100;
const LONGEST_ID = 1_024;

/** What every implementation of `McpSessions` keeps of the sessions at upstreams. */
export function mcpSessionUpstreamsContract(engine: StoreEngine): void {
  describe(`agents' sessions on ${engine.name}`, () => {
    const opened = openedStores(engine);
    let other: Stores;
    beforeAll(async () => {
      other = await opened.another();
    });

    const created = (fields?: Partial<McpSessionRecord>) => createdSession(opened.stores, fields);
    /** As of five minutes after the start: a use would be written down. */
    const set = (
      session: McpSessionRecord,
      app: string,
      upstream: UpstreamSession,
      { replaces, by = session }: { readonly replaces?: string; readonly by?: SessionReference } = {},
    ) => opened.stores.mcpSessions.setUpstream(by, app, upstream, replaces, session.startedAt + 5 * MINUTE);
    const get = ({ sessionHash, startedAt }: McpSessionRecord, { mcpSessions }: Stores = opened.stores) =>
      mcpSessions.get(sessionHash, startedAt);

    test("a session at an upstream that was set is part of the session in every process, and setting it is no use", async () => {
      const session = await created();
      const upstream = upstreamSession({ subscriptions: ["file:///ü", "file:///\ud800"] });
      const kept = { ...session, upstreams: { library: upstream } };
      expect(await set(session, "library", upstream)).toEqual(kept);
      expect(await get(session, other)).toEqual(kept);
      const later = session.startedAt + 5 * MINUTE;
      expect(await other.mcpSessions.use(session, later)).toEqual({ ...kept, lastSeenAt: later });
      expect(await opened.stores.mcpSessions.setLogLevel(session, "info", later)).toBe(true);
      expect(await get(session)).toEqual({ ...kept, lastSeenAt: later, logLevel: "info" });
    });

    test("a session that begins with sessions at upstreams has them, and a list shows none of them", async () => {
      const upstreams = { library: upstreamSession() };
      const session = await created({ upstreams });
      expect(await get(session)).toEqual(session);
      const next = upstreamSession();
      const kept = { ...session, upstreams: { ...upstreams, ledger: next } };
      expect(await set(session, "ledger", next)).toEqual(kept);
      const { organizationId, startedAt } = session;
      await expectListed(opened.stores, String(organizationId), startedAt, [session.sessionHash]);
      const { items } = await opened.stores.mcpSessions.list(String(organizationId), startedAt, { limit: 10 });
      const { upstreams: _, ...listed } = session;
      expect(items).toEqual([listed]);
    });

    test("a session at an upstream is replaced by who knows its key, and by nobody else", async () => {
      const session = await created();
      const [first, next, late] = [upstreamSession(), upstreamSession({ subscriptions: ["a:b"] }), upstreamSession()];
      expect(await set(session, "library", late, { replaces: first.key })).toEqual(session);
      await set(session, "library", first);
      const unchanged = { ...session, upstreams: { library: first } };
      expect(await set(session, "library", late)).toEqual(unchanged);
      expect(await set(session, "library", late, { replaces: next.key })).toEqual(unchanged);
      const replaced = { ...session, upstreams: { library: next } };
      expect(await set(session, "library", next, { replaces: first.key })).toEqual(replaced);
      expect(await set(session, "library", late, { replaces: first.key })).toEqual(replaced);
      expect(await get(session, other)).toEqual(replaced);
    });

    test("who lost the answer and asks again finds what it set, and a change under the same key is one", async () => {
      const session = await created();
      const upstream = upstreamSession();
      const kept = { ...session, upstreams: { library: upstream } };
      for (let i = 0; i < 2; i++) expect(await set(session, "library", upstream)).toEqual(kept);
      const subscribed = { ...upstream, subscriptions: ["a:b"] };
      const changed = { ...session, upstreams: { library: subscribed } };
      for (let i = 0; i < 2; i++) {
        expect(await set(session, "library", subscribed, { replaces: upstream.key })).toEqual(changed);
      }
      expect(await get(session)).toEqual(changed);
    });

    test("the sessions of several apps are apart, however the apps are called", async () => {
      const session = await created();
      const replaced = upstreamSession();
      const upstreams = { ...Object.fromEntries(APPS.map((app) => [app, upstreamSession()])), constructor: replaced };
      for (const [app, upstream] of Object.entries(upstreams)) await set(session, app, upstream);
      expect(await get(session, other)).toEqual({ ...session, upstreams });
      const next = upstreamSession();
      await set(session, "constructor", next, { replaces: replaced.key });
      expect(await get(session)).toEqual({ ...session, upstreams: { ...upstreams, constructor: next } });
    });

    test("25. at an upstream, sessions of other principals, unknown, ended and expired ones get nothing", async () => {
      const session = await created();
      const never = mcpSession();
      for (const by of [
        never,
        { ...session, principal: never.principal },
        { ...session, principal: "" },
        { ...never, principal: session.principal },
      ]) {
        expect(await set(session, "library", upstreamSession(), { by })).toBeUndefined();
      }
      expect(await get(session)).toEqual(session);
      expect(await get(never)).toBeUndefined();
      const expired = sessionExpiresAt(session);
      const { setUpstream } = other.mcpSessions;
      expect(await setUpstream(session, "library", upstreamSession(), undefined, expired)).toBeUndefined();
      const ended = await created();
      await set(ended, "library", upstreamSession());
      expect(await endSession(other, ended, ended.startedAt)).toBe(true);
      expect(await set(ended, "ledger", upstreamSession())).toBeUndefined();
      expect(await get(ended)).toBeUndefined();
    });

    test("sessions at upstreams survive a restart, and are replaced after it", async () => {
      const session = await created();
      const [first, next] = [upstreamSession({ subscriptions: ["a:b"] }), upstreamSession()];
      await set(session, "library", first);
      await opened.reopen();
      other = await opened.another();
      expect(await get(session)).toEqual({ ...session, upstreams: { library: first } });
      const replaced = { ...session, upstreams: { library: next } };
      expect(await set(session, "library", next, { replaces: first.key })).toEqual(replaced);
    });

    test("there is room for a hundred apps, and what has none leaves the session as it is", async () => {
      const session = await created();
      const apps = Array.from({ length: MOST_APPS }, (_, i) => `app-${i}`.padEnd(128, "ü"));
      const entry = () => upstreamSession({ sessionId: "i".repeat(LONGEST_ID) });
      const full = Object.fromEntries(apps.map((app) => [app, entry()]));
      const first = String(apps[0]);
      const { [first]: last, ...most } = full;
      if (last === undefined) throw new Error("there is no app");
      await Promise.all(Object.entries(most).map(([app, upstream]) => set(session, app, upstream)));
      expect(await set(session, first, last)).toEqual({ ...session, upstreams: full });
      const tooMany = upstreamSession({ subscriptions: Array.from({ length: 200 }, () => "x:".padEnd(2_048, "y")) });
      expect(await set(session, "more", tooMany)).toEqual({ ...session, upstreams: full });
      expect(await set(session, first, tooMany, { replaces: last.key })).toEqual({ ...session, upstreams: full });
      const later = session.startedAt + 5 * MINUTE;
      expect(await other.mcpSessions.use(session, later)).toEqual({ ...session, upstreams: full, lastSeenAt: later });
      expect(await endSession(opened.stores, session, later)).toBe(true);
    });

    test("of two that come at once one gets the last room, and what is given back can be taken", async () => {
      const session = await created();
      const large = upstreamOf(UPSTREAMS_LIMIT / 2);
      await set(session, "large", large);
      const [one, two] = [upstreamOf(UPSTREAMS_LIMIT / 2 - 100), upstreamOf(UPSTREAMS_LIMIT / 2 - 100)];
      const setByOther = (app: string, upstream: UpstreamSession) =>
        other.mcpSessions.setUpstream(session, app, upstream, undefined, session.startedAt);
      await Promise.all([set(session, "one", one), setByOther("two", two)]);
      const { upstreams = {} } = (await get(session)) ?? {};
      expect([
        { large, one },
        { large, two },
      ]).toContainEqual(upstreams);
      expect(upstreamsSize(upstreams)).toBeLessThanOrEqual(UPSTREAMS_LIMIT);
      const small = upstreamSession();
      await set(session, "large", small, { replaces: large.key });
      await set(session, "one", one);
      await set(session, "two", two);
      expect(await get(session, other)).toEqual({ ...session, upstreams: { large: small, one, two } });
    });
  });
}

/** A session that takes so many bytes under a name of five characters at most. */
function upstreamOf(bytes: number): UpstreamSession {
  const upstream = upstreamSession({ subscriptions: [""] });
  return { ...upstream, subscriptions: ["x".repeat(bytes - upstreamSize("large", upstream))] };
}
