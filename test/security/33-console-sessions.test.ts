import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import {
  resumeBrowserSession,
  resumeConsoleSession,
  startBrowserSession,
} from "../../lib/directory/browser-sessions.ts";
import type { ConnectorSignIn } from "../../lib/stores/directory.ts";
import { COOKIE, cookieOf, type Organization, send, signedIn, startOrganization } from "../directory/people.ts";

const SIGN_IN: ConnectorSignIn = { connector: "corp", issuer: "https://idp.example", subject: "1", claims: {} };
const APPLICATIONS = "__Host-countersign";
const HOUR = 3_600_000;

let organization: Organization;
beforeEach(async () => {
  organization = await startOrganization();
});
afterEach(() => organization.product.close());

const textOf = (cookie: string) => cookie.split("=")[1] as string;
const me = (Cookie: string) => send(organization.product, "GET", "/me", undefined, { Cookie });

describe("the Console's session and that of the authorization server", () => {
  test("33. open nothing of each other's, in whichever cookie somebody plants them", async () => {
    const { dependencies } = organization.product;
    const { owner } = organization;
    const atServer = await startBrowserSession(dependencies, owner.userId, { signIn: SIGN_IN });
    for (const cookie of [`${COOKIE}=${atServer}`, `${APPLICATIONS}=${atServer}`]) {
      expect((await me(cookie)).status).toBe(401);
    }
    expect(await resumeBrowserSession(dependencies, textOf(owner.cookie))).toBeUndefined();
    expect((await me(`${APPLICATIONS}=${textOf(owner.cookie)}`)).status).toBe(401);
    // Trying it out ended neither.
    expect(await resumeBrowserSession(dependencies, atServer)).toMatchObject({ userId: owner.userId });
    expect((await me(owner.cookie)).status).toBe(200);
  });

  test("33. a session that says neither what it is for, or both, opens nothing", async () => {
    const { dependencies, clock } = organization.product;
    const now = clock.now();
    const times = { createdAt: now, lastSeenAt: now, expiresAt: now + HOUR };
    for (const begun of [{}, { signIn: SIGN_IN, method: "link" as const }]) {
      const value = (begun.method === undefined ? "A" : "E").repeat(43);
      const session = { sessionHash: sha256base64url(value), userId: organization.owner.userId, ...times, ...begun };
      await dependencies.stores.directory.createBrowserSession(session);
      expect(await resumeConsoleSession(dependencies, value)).toBeUndefined();
      expect(await resumeBrowserSession(dependencies, value)).toBeUndefined();
    }
  });

  test("33. signing out of the Console leaves the authorization server's session as it is", async () => {
    const { product, owner } = organization;
    const atServer = await startBrowserSession(product.dependencies, owner.userId, { signIn: SIGN_IN });
    const headers = { Cookie: `${APPLICATIONS}=${atServer}; ${owner.cookie}` };
    const { status, headers: answered } = await send(product, "POST", "/sign-out", undefined, headers);
    expect([status, answered.getSetCookie()]).toEqual([204, [expect.stringMatching(`^${COOKIE}=; Max-Age=0;`)]]);
    expect((await me(owner.cookie)).status).toBe(401);
    expect(await resumeBrowserSession(product.dependencies, atServer)).toBeDefined();
  });
});

describe("a person's sessions in the Console", () => {
  test("are listed newest first, with how and in what they began, and which one asks", async () => {
    const { owner, product } = organization;
    product.clock.set(product.clock.now() + 1_000);
    const other = await signedIn(product, owner.userId);
    await startBrowserSession(product.dependencies, owner.userId, { signIn: SIGN_IN });
    const { body } = await owner.call("GET", "/browser-sessions");
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const shown = { createdAt: iso, lastSeenAt: iso, expiresAt: iso, method: "link", userAgent: "A browser" };
    expect(body.items).toEqual([
      { ...shown, sessionId: sha256base64url(textOf(other.cookie)), isCurrent: false },
      { ...shown, sessionId: sha256base64url(textOf(owner.cookie)), isCurrent: true },
    ]);
    expect((await owner.call("GET", "/me")).body.sessionId).toBe(body.items[1].sessionId);
  });

  test("keep no more of a User-Agent than its beginning", async () => {
    const { product } = organization;
    const token = await organization.invitation("bob@example.com");
    const headers = { "User-Agent": `<b>${"x".repeat(5_000)}` };
    const accepted = await send(product, "POST", "/invitations/accept", { token }, headers);
    const { body } = await send(product, "GET", "/browser-sessions", undefined, { Cookie: cookieOf(accepted) });
    expect(body.items).toMatchObject([{ method: "invitation", userAgent: `<b>${"x".repeat(253)}` }]);
  });

  test("33. end on the server when the person ends them elsewhere, which is recorded", async () => {
    const { owner, product, organizationId } = organization;
    const other = await signedIn(product, owner.userId);
    const sessionId = sha256base64url(textOf(other.cookie));
    const ended = await owner.call("DELETE", `/browser-sessions/${sessionId}`);
    expect([ended.status, ended.headers.getSetCookie()]).toEqual([204, []]);
    expect((await other.call("GET", "/me")).status).toBe(401);
    expect((await owner.call("DELETE", `/browser-sessions/${sessionId}`)).status).toBe(404);
    const { auditLog } = product.dependencies.stores;
    const { items } = await auditLog.query({ organizationId, type: "browser_session.ended" }, { limit: 10 });
    expect(items).toMatchObject([{ actor: owner.userId, user: owner.userId, details: { sessionId } }]);
  });

  test("33. end with the cookie when the person ends the one that asks", async () => {
    const { owner } = organization;
    const { sessionId } = (await owner.call("GET", "/me")).body;
    const { status, headers } = await owner.call("DELETE", `/browser-sessions/${sessionId}`);
    expect([status, headers.getSetCookie()]).toEqual([
      204,
      [`${COOKIE}=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Lax`],
    ]);
    expect((await owner.call("GET", "/me")).status).toBe(401);
  });

  test("33. are nobody else's: an owner neither sees nor ends those of a member", async () => {
    const { owner, product } = organization;
    const bob = await organization.joined("bob@example.com");
    const { sessionId } = (await bob.call("GET", "/me")).body;
    expect((await owner.call("GET", "/browser-sessions")).body.items).toHaveLength(1);
    const atServer = await startBrowserSession(product.dependencies, owner.userId, { signIn: SIGN_IN });
    for (const id of [sessionId, sha256base64url(atServer), textOf(owner.cookie), "A".repeat(43), "x", "%00"]) {
      expect((await owner.call("DELETE", `/browser-sessions/${id}`)).status).toBe(404);
    }
    expect((await bob.call("GET", "/me")).status).toBe(200);
  });

  test("33. are listed no longer once they idled too long, and end at their absolute end whatever happens", async () => {
    const { owner, product } = organization;
    await signedIn(product, owner.userId);
    for (let hours = 0; hours < 23.5; hours += 0.5) {
      product.clock.set(product.clock.now() + HOUR / 2);
      expect((await owner.call("GET", "/browser-sessions")).body.items).toHaveLength(hours < 0.75 ? 2 : 1);
    }
    product.clock.set(product.clock.now() + HOUR / 2);
    expect((await owner.call("GET", "/me")).status).toBe(401);
  });
});
