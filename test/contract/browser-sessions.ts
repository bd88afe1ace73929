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
