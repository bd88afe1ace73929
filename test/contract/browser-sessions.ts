import { describe, expect, test } from "vitest";
import { newUserId } from "./credential-records.ts";
import { bareSignIn, newSession } from "./directory.ts";
import { openedStores, type StoreEngine } from "./engine.ts";

/** How every implementation of `Directory` lists a person's browser sessions. */
export function browserSessionsContract(engine: StoreEngine): void {
  describe(`sign-in on ${engine.name}`, () => {
    const opened = openedStores(engine);

    test("a person's browser sessions are listed from the newest, with how they began, until they expire or end", async () => {
      const userId = newUserId();
      const now = Date.now();
      const made = [1, 2, 3, 4].map((age) => ({ ...newSession(), userId, createdAt: now - age, expiresAt: now + age }));
      const [newest, signedIn, ended, oldest] = made;
      if (newest === undefined || signedIn === undefined || ended === undefined || oldest === undefined)
        throw new Error("four are made");
      const told = { ...signedIn, signIn: bareSignIn(), method: "connector", userAgent: "Browser/1.0 (ü)" } as const;
      const others = newSession();
      for (const one of [oldest, told, newest, ended, others]) await opened.stores.directory.createBrowserSession(one);
      await opened.stores.directory.deleteBrowserSession(ended.sessionHash);
      await opened.stores.directory.touchBrowserSession(oldest.sessionHash, oldest.lastSeenAt + 5);
      const touched = { ...oldest, lastSeenAt: oldest.lastSeenAt + 5 };
      const { directory } = await opened.another();
      expect(await directory.getBrowserSession(told.sessionHash)).toEqual(told);
      expect(await directory.browserSessions(userId, now)).toEqual([newest, told, touched]);
      expect(await directory.browserSessions(userId, now + 1)).toEqual([told, touched]);
      expect(await directory.browserSessions(userId, now + 4)).toEqual([]);
      expect(await directory.browserSessions(others.userId, now)).toEqual([others]);
      expect(await directory.browserSessions(newUserId(), now)).toEqual([]);
    });

    test("a session keeps its further sign-ins in their order, also when it is touched and listed", async () => {
      const partner = { ...bareSignIn(), connector: "partner", claims: { groups: ["ü", null], deep: [{ n: 1e21 }] } };
      const session = { ...newSession(bareSignIn()), further: [partner, { ...bareSignIn(), connector: "third" }] };
      const { sessionHash, lastSeenAt, userId, createdAt } = session;
      await opened.stores.directory.createBrowserSession(session);
      await opened.stores.directory.touchBrowserSession(sessionHash, lastSeenAt + 5);
      const touched = { ...session, lastSeenAt: lastSeenAt + 5 };
      const { directory } = await opened.another();
      expect(await directory.getBrowserSession(sessionHash)).toEqual(touched);
      expect(await directory.browserSessions(userId, createdAt)).toEqual([touched]);
    });

    test("what renews the claims of a session changes at its revision alone, and never brings back one that is gone", async () => {
      const { directory } = opened.stores;
      const partner = { ...bareSignIn(), connector: "partner" };
      const renewals = { tokens: { corp: { sealed: "a", renewAt: 1 } } };
      const session = { ...newSession(bareSignIn()), further: [partner], renewals };
      const { sessionHash, signIn, lastSeenAt } = session;
      await directory.createBrowserSession(session);
      const leased = { renewals: { ...renewals, leasedUntil: 5 } };
      expect(await directory.renewSignIns(sessionHash, 1, leased)).toBe(false);
      expect(await directory.getBrowserSession(sessionHash)).toEqual(session);
      expect(await directory.renewSignIns(sessionHash, 0, leased)).toBe(true);
      await directory.touchBrowserSession(sessionHash, lastSeenAt + 5);
      const seen = { ...session, ...leased, lastSeenAt: lastSeenAt + 5, revision: 1 };
      expect(await (await opened.another()).directory.getBrowserSession(sessionHash)).toEqual(seen);
      expect(await directory.renewSignIns(sessionHash, 0, leased)).toBe(false);
      const renewed = { tokens: { corp: { sealed: "b", renewAt: 2, retryAt: 3 } } };
      const told = { ...bareSignIn(), ...signIn, claims: { groups: ["ü", null, 1e21] } };
      const both = { renewals: renewed, signIns: [told, { ...partner, claims: { a: 1 } }] };
      expect(await directory.renewSignIns(sessionHash, 1, both)).toBe(true);
      const { further: _, ...alone } = seen;
      const after = { ...alone, signIn: told, renewals: renewed };
      expect(await directory.getBrowserSession(sessionHash)).toEqual({
        ...{ ...after, further: [{ ...partner, claims: { a: 1 } }], revision: 2 },
      });
      expect(await directory.renewSignIns(sessionHash, 2, { renewals: renewed, signIns: [told] })).toBe(true);
      expect(await directory.getBrowserSession(sessionHash)).toEqual({ ...after, revision: 3 });
      await directory.deleteBrowserSession(sessionHash);
      expect(await directory.renewSignIns(sessionHash, 3, leased)).toBe(false);
      expect(await directory.renewSignIns(newSession().sessionHash, 0, leased)).toBe(false);
      expect(await directory.getBrowserSession(sessionHash)).toBeUndefined();
    });

    test("of thirty who change what renews a session's claims at once, in two processes, one does", async () => {
      const session = newSession(bareSignIn());
      await opened.stores.directory.createBrowserSession(session);
      const both = [opened.stores, await opened.another()];
      const results = await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          both[i % 2]?.directory.renewSignIns(session.sessionHash, 0, { renewals: { tokens: {}, leasedUntil: i + 1 } }),
        ),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      const { renewals, revision } = (await opened.stores.directory.getBrowserSession(session.sessionHash)) ?? {};
      expect([renewals?.leasedUntil, revision]).toEqual([results.indexOf(true) + 1, 1]);
    });

    test("of a person's browser sessions the hundred newest are listed", async () => {
      const userId = newUserId();
      const now = Date.now();
      const made = Array.from({ length: 105 }, (_, i) => ({ ...newSession(), userId, createdAt: now - i }));
      await Promise.all(made.map((one) => opened.stores.directory.createBrowserSession(one)));
      await opened.stores.directory.deleteBrowserSession(made[0]?.sessionHash ?? "");
      expect(await opened.stores.directory.browserSessions(userId, now)).toEqual(made.slice(1, 101));
    });
  });
}
