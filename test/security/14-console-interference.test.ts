import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleStarted, signInAtCorp, startConsole } from "../directory/connector-sign-in/started.ts";
import { ISSUER } from "../support/in-process.ts";

let started: ConsoleStarted;
beforeAll(async () => {
  started = await startConsole();
});
afterAll(() => started.stop());

test.each([
  "",
  "?code=a&state=b",
  `?code=a&state=${"A".repeat(43)}`,
  "?state=a&state=b",
  "?error=access_denied",
  "?%ff",
])(
  "14. an answer to nothing, to which any page can lead, leaves the sign-in that is under way as it is: %j",
  async (answer) => {
    const browser = started.newBrowser();
    const email = `${crypto.randomUUID()}@example.com`;
    const { body } = await browser.call("POST", "/sign-in/oidc/corp", { invitation: await started.invite(email) });
    const { status, headers } = await browser.open(`/api/v1/sign-in/oidc/callback${answer}`);
    expect([status, headers.get("Location")]).toEqual([
      303,
      expect.stringMatching(new RegExp(`^${ISSUER}/console/sign-in\\?problem=(expired|failed)$`)),
    ]);
    expect((await signInAtCorp(browser, body.location as string, email)).url.href).toBe(`${ISSUER}/console/`);
    expect((await browser.call("GET", "/me")).body).toMatchObject({ email });
  },
);
