import { afterAll, beforeAll, expect, test } from "vitest";
import { isConsolePath } from "../../lib/directory/connector-sign-in/begin.ts";
import { type ConsoleStarted, goThroughCorp, startConsole } from "../directory/connector-sign-in/started.ts";
import { ISSUER } from "../support/in-process.ts";

let started: ConsoleStarted;
beforeAll(async () => {
  started = await startConsole();
});
afterAll(() => started.stop());

const ELSEWHERE = [
  "https://evil.example/console/",
  "//evil.example/console/",
  "/console",
  "/consolevil/",
  "/",
  "",
  "console/",
  " /console/",
  "/console//evil.example",
  "/console/\\evil.example",
  "\\console\\",
  "/console/../oauth2/logout",
  "/console/./",
  "/console/..",
  "/console/a/../../x",
  "/console/%2e%2e/x",
  "/console/%2F%2Fevil.example",
  "/console/%5Cevil",
  "/console/a\r\nLocation: https://evil.example",
  "/console/\t",
  "/console/#token=x",
  "/console/?next=//evil.example",
  "/console/@evil.example",
  "/console/é",
  `/console/${"a".repeat(512)}`,
];

test.each(ELSEWHERE)("11. the Console sends nobody to %j after a sign-in", async (returnTo) => {
  const { status, body } = await started.newBrowser().call("POST", "/sign-in/oidc/corp", { returnTo });
  expect([status, body.errors]).toEqual([
    422,
    [{ pointer: "/returnTo", detail: "must be a plain path below /console/" }],
  ]);
});

test("11. what is accepted leads to itself in every reading of an address", () => {
  for (const path of [
    "/console/",
    "/console/audit",
    "/console/api-clients/client_1/",
    "/console/audit?type=a.b&from=2026-01-01T00:00:00Z",
  ]) {
    expect(isConsolePath(path)).toBe(true);
    const { origin, pathname, search } = new URL(path, ISSUER);
    expect([origin, pathname + search]).toEqual([ISSUER, path]);
  }
});

test("11. problems lead to the Console's own page, whatever the connector's answer says", async () => {
  const browser = started.newBrowser();
  for (const query of [
    "",
    "?state=x",
    "?state=x&state=y",
    "?%zz",
    "?redirect_uri=https://evil.example&error=//evil.example",
  ]) {
    const answer = await browser.open(`/api/v1/sign-in/oidc/callback${query}`);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("Location")).toMatch(
      /^https:\/\/us\.example\/console\/sign-in\?problem=(expired|failed)$/,
    );
  }
  expect((await goThroughCorp(browser, { returnTo: "/console/audit" }, "eve")).url.href).toContain(
    "/console/sign-in?problem=",
  );
});
