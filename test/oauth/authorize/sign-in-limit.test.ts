import { afterAll, beforeAll, expect, test } from "vitest";
import { AGENT } from "../../support/oauth-apps.ts";
import { authorizationURL, type SignInStarted, startSignIn } from "./started.ts";

let started: SignInStarted;
beforeAll(async () => {
  started = await startSignIn({ apps: [AGENT] });
});
afterAll(() => started.stop());

test("more sign-ins than people begin are refused by a page, and nothing is kept of them", async () => {
  const statuses: (number | undefined)[] = [];
  for (let count = 0; count < 1_001; count += 1) {
    const { response } = await started.newBrowser().open(authorizationURL({ client_id: "nobody" }));
    statuses.push(response?.status);
  }
  expect(new Set(statuses.slice(0, 1_000))).toEqual(new Set([400]));
  expect(statuses.at(-1)).toBe(429);
});

test.each([
  ["authorization requests", (more: string) => `${authorizationURL({ client_id: "nobody" })}&state=${more}`],
  ["sign-outs", (more: string) => `/oauth2/logout?state=${more}`],
])("42. %s may keep a bounded number of bytes, whatever is in them", async (what, address) => {
  const statuses: number[] = [];
  for (let count = 0; count < 300; count += 1) {
    const { pathname, search } = new URL(address("x".repeat(7_000)), "https://us.example");
    statuses.push((await started.product.send(pathname + search, {}, `198.51.100.${what.length}`)).status);
  }
  expect(statuses.indexOf(429)).toBeGreaterThan(150);
  expect(statuses.at(-1)).toBe(429);
});
