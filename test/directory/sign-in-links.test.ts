import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureOrganization } from "../../lib/directory/organizations.ts";
import { createSignInLink, useSignInLink } from "../../lib/directory/sign-in.ts";
import { HOUR, openTestInstance, type TestInstance } from "./instance.ts";

const USER = "user_00000000-0000-4000-8000-000000000001";
let instance: TestInstance;
beforeEach(() => {
  instance = openTestInstance();
});
afterEach(() => instance.close());

test("a sign-in link carries its secret in the fragment, which reaches no server", async () => {
  const link = new URL((await createSignInLink(instance.dependencies, USER, "operator:test")).url);
  expect(link.origin + link.pathname).toBe("http://localhost:8080/console/sign-in");
  expect(link.search).toBe("");
  expect(Buffer.from(secretOf(link.href), "base64url")).toHaveLength(32);
});

test("a new link and a new organization are recorded with who made them", async () => {
  const { dependencies } = instance;
  await createSignInLink(dependencies, USER, "operator:ann");
  const { organizationId } = await ensureOrganization(dependencies, "operator:bob");
  const recorded = async (organization: string | undefined) =>
    (await dependencies.stores.auditLog.query({ organizationId: organization }, { limit: 10 })).items;
  expect(await recorded(undefined)).toMatchObject([
    { type: "sign_in_link.created", outcome: "success", actor: "operator:ann", user: USER },
  ]);
  expect(await recorded(organizationId)).toMatchObject([{ type: "organization.created", actor: "operator:bob" }]);
});

test("a sign-in link works for exactly one of 20 parallel uses", async () => {
  const { url } = await createSignInLink(instance.dependencies, USER, "operator:test");
  const uses = Array.from({ length: 20 }, () => use(secretOf(url)));
  const results = await Promise.all(uses);
  expect(results.filter((userId) => userId === USER)).toHaveLength(1);
  expect(results.filter((userId) => userId === undefined)).toHaveLength(19);
});

test("a sign-in link works until just before the end of its hour and not after", async () => {
  const early = await createSignInLink(instance.dependencies, USER, "operator:test");
  const late = await createSignInLink(instance.dependencies, USER, "operator:test");
  instance.advance(HOUR - 5_000);
  expect(await use(secretOf(early.url))).toBe(USER);
  instance.advance(5_000);
  expect(await use(secretOf(late.url))).toBeUndefined();
});

test("a link whose sign-in failed works once more, and then no more", async () => {
  const secret = secretOf((await createSignInLink(instance.dependencies, USER, "operator:test")).url);
  const failing = useSignInLink(instance.dependencies, secret, () => Promise.reject(new Error("the store failed")));
  await expect(failing).rejects.toThrow("the store failed");
  expect(await use(secret)).toBe(USER);
  expect(await use(secret)).toBeUndefined();
});

test("an unknown or malformed secret signs nobody in", async () => {
  expect(await use("A".repeat(43))).toBeUndefined();
  expect(await use("")).toBeUndefined();
});

/** The person a link signs in. */
function use(secret: string): Promise<string | undefined> {
  return useSignInLink(instance.dependencies, secret, async (userId) => userId);
}

function secretOf(url: string): string {
  return new URL(url).hash.replace("#token=", "");
}
