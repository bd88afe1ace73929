import { afterEach, beforeEach, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import { endBrowserSession, resumeConsoleSession, startBrowserSession } from "../../lib/directory/browser-sessions.ts";
import { HOUR, MINUTE, openTestInstance, type TestInstance } from "./instance.ts";

const USER = "user_00000000-0000-4000-8000-000000000001";
const LINK = { method: "link", userAgent: "A browser" } as const;
let instance: TestInstance;
beforeEach(() => {
  instance = openTestInstance();
});
afterEach(() => instance.close());

test("33. the store keeps the hash of a session's value, never the value", async () => {
  const value = await startBrowserSession(instance.dependencies, USER, LINK);
  const { directory } = instance.dependencies.stores;
  expect(await directory.getBrowserSession(value)).toBeUndefined();
  expect(await directory.getBrowserSession(sha256base64url(value))).toMatchObject({ userId: USER });
});

test("33. two sessions of one person never share a value, and a value has 256 bits", async () => {
  const one = await startBrowserSession(instance.dependencies, USER, LINK);
  const other = await startBrowserSession(instance.dependencies, USER, LINK);
  expect(one).not.toBe(other);
  expect(Buffer.from(one, "base64url")).toHaveLength(32);
});

test("33. a session is alive after just less than the idle timeout and over one sixtieth later", async () => {
  const value = await startBrowserSession(instance.dependencies, USER, LINK);
  instance.advance(HOUR - MINUTE / 10);
  expect(await resumeConsoleSession(instance.dependencies, value)).toMatchObject({ userId: USER });
  instance.advance(HOUR + 2 * MINUTE);
  expect(await resumeConsoleSession(instance.dependencies, value)).toBeUndefined();
});

test("33. use keeps a session alive, and it never expires early although not each use is written", async () => {
  const value = await startBrowserSession(instance.dependencies, USER, LINK);
  const hash = sha256base64url(value);
  const { directory } = instance.dependencies.stores;
  const written = (await directory.getBrowserSession(hash))?.lastSeenAt;
  instance.advance(MINUTE / 2);
  await resumeConsoleSession(instance.dependencies, value);
  expect((await directory.getBrowserSession(hash))?.lastSeenAt).toBe(written);
  instance.advance(HOUR - MINUTE / 10);
  expect(await resumeConsoleSession(instance.dependencies, value)).toBeDefined();
  expect((await directory.getBrowserSession(hash))?.lastSeenAt).toBeGreaterThan(written as number);
});

test("33. the absolute timeout ends a session that is in constant use", async () => {
  const value = await startBrowserSession(instance.dependencies, USER, LINK);
  for (let i = 0; i < 23; i++) {
    instance.advance(HOUR / 2);
    expect(await resumeConsoleSession(instance.dependencies, value)).toBeDefined();
  }
  instance.advance(HOUR / 2 + MINUTE);
  expect(await resumeConsoleSession(instance.dependencies, value)).toBeUndefined();
});

test("33. an ended session is gone on the server", async () => {
  const value = await startBrowserSession(instance.dependencies, USER, LINK);
  await endBrowserSession(instance.dependencies, value);
  expect(await resumeConsoleSession(instance.dependencies, value)).toBeUndefined();
});

test.each(["", "short", "a".repeat(44), `${"A".repeat(42)}B`, "é".repeat(43)])(
  "a cookie value that no session can have is refused without a read: %j",
  async (value) => {
    const directory = new Proxy(instance.dependencies.stores.directory, {
      get: () => () => Promise.reject(new Error("the store was read")),
    });
    const dependencies = { ...instance.dependencies, stores: { ...instance.dependencies.stores, directory } };
    expect(await resumeConsoleSession(dependencies, value)).toBeUndefined();
    await endBrowserSession(dependencies, value);
  },
);
