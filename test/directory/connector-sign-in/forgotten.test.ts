import { afterAll, beforeAll, expect, test } from "vitest";
import { credentialEvent, newUserId } from "../../contract/credential-records.ts";
import { ISSUER } from "../../support/in-process.ts";
import { type ConsoleStarted, goThroughCorp, startConsole } from "./started.ts";

let started: ConsoleStarted;
beforeAll(async () => {
  started = await startConsole();
});
afterAll(() => started.stop());

/** Linked while its person left the last organization, so that nothing took the link away. */
async function leftBehind(subject: string): Promise<void> {
  const { identities } = started.product.dependencies.stores;
  const account = { issuer: started.provider.issuer, subject, connector: "corp", createdAt: 1 };
  await identities.linkIdentity({ ...account, userId: newUserId() }, credentialEvent("identity.linked"));
}

test("33. an account of somebody who is gone signs nobody in", async () => {
  await leftBehind("olga");
  const browser = started.newBrowser();
  const { url } = await goThroughCorp(browser, {}, "olga");
  expect(url.href).toBe(`${ISSUER}/console/sign-in?problem=unknown_account`);
  expect(browser.cookies.has("__Host-countersign-console")).toBe(false);
});

test("an account of somebody who is gone can be linked by somebody else, which is recorded", async () => {
  await leftBehind("peggy");
  const owner = await started.signedIn();
  expect((await goThroughCorp(owner, { link: true }, "peggy")).url.href).toBe(`${ISSUER}/console/`);
  expect((await owner.call("GET", "/identities")).body.items).toMatchObject([{ subject: "peggy" }]);
  const { body } = await owner.call("GET", "/audit-events?instance=true&type=identity.unlinked");
  expect(body.items).toMatchObject([{ reason: "the person is gone", details: { subject: "peggy" } }]);
  const elsewhere = started.newBrowser();
  await goThroughCorp(elsewhere, {}, "peggy");
  expect((await elsewhere.call("GET", "/me")).body).toMatchObject({ email: "owner@example.com" });
});

test("whoever comes back with the account of before accepts an invitation as somebody new", async () => {
  await leftBehind("rupert");
  const browser = started.newBrowser();
  const invitation = await started.invite("rupert@example.com");
  expect((await goThroughCorp(browser, { invitation }, "rupert")).url.href).toBe(`${ISSUER}/console/`);
  expect((await browser.call("GET", "/me")).body).toMatchObject({ email: "rupert@example.com" });
  expect((await browser.call("GET", "/identities")).body.items).toMatchObject([{ subject: "rupert" }]);
});
