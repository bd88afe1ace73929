import { afterEach, beforeEach, expect, test } from "vitest";
import { consumeSignInLink, createSignInLink } from "../../lib/directory/sign-in-links.ts";
import { HOUR, openTestInstance, type TestInstance } from "./instance.ts";

const USER = "user_00000000-0000-4000-8000-000000000001";
let instance: TestInstance;
beforeEach(() => {
  instance = openTestInstance();
});
afterEach(() => instance.close());

test("a sign-in link carries its secret in the fragment, which reaches no server", async () => {
  const link = new URL((await createSignInLink(instance.dependencies, USER)).url);
  expect(link.origin + link.pathname).toBe("http://localhost:8080/console/sign-in");
  expect(link.search).toBe("");
  expect(Buffer.from(secretOf(link.href), "base64url")).toHaveLength(32);
});

test("a sign-in link works for exactly one of 20 parallel uses", async () => {
  const { url } = await createSignInLink(instance.dependencies, USER);
  const uses = Array.from({ length: 20 }, () => consumeSignInLink(instance.dependencies, secretOf(url)));
  const results = await Promise.all(uses);
  expect(results.filter((userId) => userId === USER)).toHaveLength(1);
  expect(results.filter((userId) => userId === undefined)).toHaveLength(19);
});

test("a sign-in link works until just before the end of its hour and not after", async () => {
  const early = await createSignInLink(instance.dependencies, USER);
  const late = await createSignInLink(instance.dependencies, USER);
  instance.advance(HOUR - 5_000);
  expect(await consumeSignInLink(instance.dependencies, secretOf(early.url))).toBe(USER);
  instance.advance(5_000);
  expect(await consumeSignInLink(instance.dependencies, secretOf(late.url))).toBeUndefined();
});

test("an unknown or malformed secret signs nobody in", async () => {
  expect(await consumeSignInLink(instance.dependencies, "A".repeat(43))).toBeUndefined();
  expect(await consumeSignInLink(instance.dependencies, "")).toBeUndefined();
});

function secretOf(url: string): string {
  return new URL(url).hash.replace("#token=", "");
}
