import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resumeConsoleSession } from "../../lib/directory/browser-sessions.ts";
import { ensureOrganization } from "../../lib/directory/organizations.ts";
import { readProfile } from "../../lib/directory/person.ts";
import { type SetUp, setUp, signInBySetup } from "../../lib/directory/setup.ts";
import { parseEmail } from "../../lib/kernel/email-address.ts";
import { equalSecrets } from "../../lib/kernel/equal-secrets.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import type { Directory } from "../../lib/stores/directory.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { CONSOLE } from "../support/configuration.ts";
import { openTestInstance, type TestInstance } from "./instance.ts";

const REQUEST = { token: "a setup token", organization: "Acme", email: "Ada@Example.com" };
const CALL = { requestId: "request", userAgent: undefined };
let instance: TestInstance;
beforeEach(() => {
  instance = openTestInstance();
});
afterEach(() => instance.close());

test("setup makes one owner of 20 parallel attempts", async () => {
  const attempts = Array.from({ length: 20 }, (_, i) =>
    setUp(instance.dependencies, { ...REQUEST, email: `user${i}@example.com` }, CALL).then(userIdOf, codeOf),
  );
  const results = await Promise.all(attempts);
  expect(results.filter((result) => result.startsWith("user_"))).toHaveLength(1);
  expect(results.filter((result) => result === "forbidden")).toHaveLength(19);
});

test("setup keeps the address in lower case and records who became owner", async () => {
  const { userId } = (await setUp(instance.dependencies, REQUEST, CALL)).person;
  const { directory, auditLog } = instance.dependencies.stores;
  expect(await directory.getPerson(userId)).toMatchObject({ email: "ada@example.com" });
  const [membership] = await directory.memberships(userId);
  expect(membership).toMatchObject({ role: "owner" });
  const { items } = await auditLog.query({ organizationId: membership?.organizationId }, { limit: 10 });
  expect(items).toMatchObject([{ type: "member.added", user: userId, actor: userId, details: { role: "owner" } }]);
});

test("an organization that an operator made is taken over by the first owner", async () => {
  const made = await ensureOrganization(instance.dependencies, "operator:test");
  expect(await ensureOrganization(instance.dependencies, "operator:test")).toEqual(made);
  const { userId } = (await setUp(instance.dependencies, REQUEST, CALL)).person;
  const { directory } = instance.dependencies.stores;
  expect(await directory.memberships(userId)).toMatchObject([{ organizationId: made.organizationId, role: "owner" }]);
  expect(await directory.getOrganization(made.organizationId)).toEqual({ ...made, name: "Acme" });
});

test.each(["a setup toke", "a setup token ", "", undefined, 1, null, ["a setup token"]])(
  "a wrong setup token creates nothing: %j",
  async (token) => {
    expect(await setUp(instance.dependencies, { ...REQUEST, token }, CALL).catch(codeOf)).toBe("forbidden");
    expect(await instance.dependencies.stores.directory.firstOrganization()).toBeUndefined();
  },
);

test("whoever fails to become owner leaves no session behind", async () => {
  const created: string[] = [];
  const { dependencies } = instance;
  const { directory } = dependencies.stores;
  const createBrowserSession: Directory["createBrowserSession"] = async (session) => {
    created.push(session.sessionHash);
    await directory.createBrowserSession(session);
  };
  const watched = {
    ...dependencies,
    stores: { ...dependencies.stores, directory: { ...directory, createBrowserSession } },
  };
  await setUp(watched, REQUEST, CALL);
  expect(await setUp(watched, REQUEST, CALL).catch(codeOf)).toBe("forbidden");
  const [owner = "", other = ""] = created;
  expect(await directory.getBrowserSession(owner)).toBeDefined();
  expect([created.length, await directory.getBrowserSession(other)]).toEqual([2, undefined]);
});

test("setup that fails before there is an owner can be repeated, and fails no more once there is one", async () => {
  const { dependencies } = instance;
  const { directory, auditLog, singleUse } = dependencies.stores;
  const fail = () => Promise.reject(new Error("the store failed"));
  const request = { ...CALL, remoteAddress: undefined, formerSession: undefined };
  const withStores = (stores: Partial<Stores>) =>
    signInBySetup({ ...dependencies, stores: { ...dependencies.stores, ...stores } })(REQUEST, request);
  for (const name of ["createBrowserSession", "createFirstOwner"] as const) {
    await expect(withStores({ directory: { ...directory, [name]: fail } })).rejects.toThrow("the store failed");
  }
  const committed = { auditLog: { ...auditLog, append: fail }, singleUse: { ...singleUse, consume: fail } };
  const { profile, session, recovered } = await withStores(committed);
  expect(profile).toMatchObject({ email: "ada@example.com", organizations: [{ name: "Acme", role: "owner" }] });
  expect(profile).toEqual(await readProfile(dependencies, profile.userId));
  expect(await resumeConsoleSession(dependencies, session)).toMatchObject({ userId: profile.userId });
  expect(recovered).toBe(false);
  const logged = instance.lines.join("\n");
  expect(logged).toContain("a sign-in could not be recorded");
  expect(logged).toContain("the setup token could not be marked as used");
  expect(logged).not.toContain(REQUEST.token);
});

test("whoever lacks the setup token learns nothing about the other fields", async () => {
  const refused = await setUp(instance.dependencies, { token: "wrong", email: 7 }, CALL).catch(codeOf);
  expect(refused).toBe("forbidden");
});

test("an instance without setup token has no setup", async () => {
  const other = openTestInstance({ console: { ...CONSOLE, enabled: true, baseURL: "http://localhost:8080" } });
  expect(await setUp(other.dependencies, REQUEST, CALL).catch(codeOf)).toBe("not_found");
  other.close();
});

describe("fields", () => {
  test.each([
    [{ organization: "", email: "a@b.example" }, ["/organization"]],
    [{ organization: "  \t ", email: "a@b.example" }, ["/organization"]],
    [{ organization: "x".repeat(201), email: "nobody" }, ["/organization", "/email"]],
    [{ organization: "a\u0000b", email: "a b@c.example" }, ["/organization", "/email"]],
    [{ email: "a@b.example", role: "admin" }, ["/role", "/organization"]],
  ])("%j is refused with a pointer for each fault", async (fields, pointers) => {
    const error = await setUp(instance.dependencies, { token: REQUEST.token, ...fields }, CALL).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ProblemError);
    expect((error as ProblemError).fields.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  test.each(["", "a", "@", "a@", "@b", "a@b@c", "a @b", "a\n@b", `${"a".repeat(251)}@b.c`])(
    "%j is no e-mail address",
    (text) => expect(parseEmail(text)).toBeUndefined(),
  );
});

test("secrets are equal only when every character is", () => {
  expect(equalSecrets("secret", "secret")).toBe(true);
  for (const other of ["Secret", "secre", "secrets", ""]) expect(equalSecrets("secret", other)).toBe(false);
});

function userIdOf({ person }: SetUp): string {
  return person.userId;
}

function codeOf(error: unknown): string {
  if (error instanceof ProblemError) return error.code;
  throw error;
}
