import { afterEach, beforeEach, expect, test } from "vitest";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { createSignInLink } from "../../lib/directory/sign-in.ts";
import type { AuditLog } from "../../lib/stores/audit-log.ts";
import type { Directory } from "../../lib/stores/directory.ts";
import { CONSOLE } from "../support/configuration.ts";
import { type InProcess, ISSUER, startInProcess } from "../support/in-process.ts";

let instance: InProcess;
let userId: string;
/** What fails at the moment. */
let broken: "audit log" | "session" | undefined;
beforeEach(async () => {
  broken = undefined;
  instance = await startInProcess({
    configuration: { console: { ...CONSOLE, enabled: true, baseURL: ISSUER } },
    adapt: breakable,
  });
  userId = (await instance.dependencies.stores.directory.findPersonByEmail("owner@example.com"))?.userId as string;
});
afterEach(() => instance.close());

test("a sign-in link signs in once, and sign-out ends the session on the server", async () => {
  const token = await linkToken();
  const response = await signIn(token);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ userId, email: "owner@example.com" });
  expect(response.headers.getSetCookie()[0]).toMatch(
    /^__Host-countersign-console=[\w-]{43}; Max-Age=86400; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
  );
  const cookie = cookieOf(response);
  expect((await me(cookie)).status).toBe(200);
  expect((await signIn(token)).status).toBe(403);
  const out = await instance.send("/api/v1/sign-out", { method: "POST", headers: { Cookie: cookie } });
  expect(out.status).toBe(204);
  expect((await me(cookie)).status).toBe(401);
});

test("a sign-in that fails on the way leaves the link usable and nobody signed in", async () => {
  const token = await linkToken();
  for (const failing of ["audit log", "session"] as const) {
    broken = failing;
    const response = await signIn(token);
    expect([response.status, response.headers.getSetCookie()]).toEqual([500, []]);
  }
  broken = undefined;
  expect((await signIn(token)).status).toBe(200);
  expect((await signIn(token)).status).toBe(403);
});

test("33. signing in gives a new session and ends the one the browser came with", async () => {
  const former = cookieOf(await signIn(await linkToken()));
  const response = await signIn(await linkToken(), { Cookie: former });
  expect(cookieOf(response)).not.toBe(former);
  expect((await me(former)).status).toBe(401);
  expect((await me(cookieOf(response))).status).toBe(200);
});

test("33. a session value chosen by someone else never becomes a session", async () => {
  const planted = `__Host-countersign-console=${"A".repeat(43)}`;
  const response = await signIn(await linkToken(), { Cookie: planted });
  expect(cookieOf(response)).not.toBe(planted);
  expect((await me(planted)).status).toBe(401);
});

test("33. a session ends by idleness", async () => {
  const cookie = cookieOf(await signIn(await linkToken()));
  instance.clock.set(instance.clock.now() + 3_500_000);
  expect((await me(cookie)).status).toBe(200);
  instance.clock.set(instance.clock.now() + 3_700_000);
  expect((await me(cookie)).status).toBe(401);
});

test("sign-ins are in the organization's audit log, refusals in the instance's, the first of a minute and how many more", async () => {
  await signIn(await linkToken());
  for (let i = 0; i < 30; i++) expect((await signIn("A".repeat(43))).status).toBe(403);
  const { auditLog, directory } = instance.dependencies.stores;
  const organization = await directory.firstOrganization();
  const own = await auditLog.query(
    { organizationId: organization?.organizationId, type: "sign_in.succeeded" },
    { limit: 100 },
  );
  expect(own.items).toMatchObject([{ actor: userId, user: userId, details: { method: "link" } }]);
  instance.clock.set(instance.clock.now() + 1);
  await instance.dependencies.refusals.flush();
  const refused = await auditLog.query({ organizationId: undefined, type: "sign_in.refused" }, { limit: 100 });
  expect(refused.items.map(({ count }) => count)).toEqual([29, undefined]);
});

test("10. no link secret and no session value is in a log line", async () => {
  const token = await linkToken();
  const cookie = cookieOf(await signIn(token));
  await me(cookie);
  const logs = instance.logs.join("\n");
  expect(logs).toContain("/api/v1/me");
  expect(logs).not.toContain(token);
  expect(logs).not.toContain(cookie.split("=")[1]);
});

function breakable(dependencies: Dependencies): Dependencies {
  const { auditLog, directory, ...stores } = dependencies.stores;
  const unless = async (name: typeof broken, work: () => Promise<void>) => {
    if (broken === name) throw new Error("the store failed");
    await work();
  };
  const append: AuditLog["append"] = (event) => unless("audit log", () => auditLog.append(event));
  const createBrowserSession: Directory["createBrowserSession"] = (session) =>
    unless("session", () => directory.createBrowserSession(session));
  return {
    ...dependencies,
    stores: { ...stores, auditLog: { ...auditLog, append }, directory: { ...directory, createBrowserSession } },
  };
}

async function linkToken(): Promise<string> {
  const { url } = await createSignInLink(instance.dependencies, userId, "operator:test");
  return new URL(url).hash.replace("#token=", "");
}

function signIn(token: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return instance.send("/api/v1/sign-in/link", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ token }),
  });
}

function me(cookie: string): Promise<Response> {
  return instance.send("/api/v1/me", { headers: { Cookie: cookie } });
}

function cookieOf(response: Response): string {
  return response.headers.getSetCookie()[0]?.split(";")[0] as string;
}
