import { afterAll, beforeAll, expect, test } from "vitest";
import { ISSUER } from "../../support/in-process.ts";
import { addPasskey } from "../passkeys/person.ts";
import { type Browser, type ConsoleStarted, goThroughCorp, startConsole } from "./started.ts";

const SESSION = "__Host-countersign-console";
const HOME = `${ISSUER}/console/`;
const problem = (code: string) => `${ISSUER}/console/sign-in?problem=${code}`;

let started: ConsoleStarted;
beforeAll(async () => {
  started = await startConsole();
});
afterAll(() => started.stop());

/** A browser in which the first owner linked an account. */
async function linkedBrowser(login: string): Promise<Browser> {
  const browser = await started.signedIn();
  expect((await goThroughCorp(browser, { link: true }, login)).url.href).toBe(HOME);
  return browser;
}

async function identities(browser: Browser): Promise<readonly { readonly subject: string }[]> {
  return (await browser.call("GET", "/identities")).body.items as readonly { readonly subject: string }[];
}

test("a linked account signs its person in, at the page that was asked for", async () => {
  const owner = await linkedBrowser("alice");
  expect(await identities(owner)).toEqual([
    { connector: "corp", subject: "alice", label: "alice@corp.example", createdAt: expect.any(String) },
  ]);
  const browser = started.newBrowser();
  const { url, way } = await goThroughCorp(browser, { returnTo: "/console/audit?type=token.issued" }, "alice");
  expect(url.href).toBe(`${ISSUER}/console/audit?type=token.issued`);
  expect((await browser.call("GET", "/me")).body).toMatchObject({ email: "owner@example.com" });
  expect(way.join()).not.toContain(browser.cookies.get(SESSION));
  const { items } = (await browser.call("GET", "/audit-events?type=sign_in.succeeded")).body;
  expect(items).toContainEqual(expect.objectContaining({ details: { method: "connector", connector: "corp" } }));
  expect((await browser.call("GET", "/audit-events?type=identity.linked")).body.items).toMatchObject([
    { details: { connector: "corp", subject: "alice" } },
  ]);
});

test("33. a sign-in starts a new session and ends the one of before", async () => {
  await linkedBrowser("carl");
  const browser = started.newBrowser();
  const planted = "p".repeat(43);
  browser.cookies.set(SESSION, planted);
  await goThroughCorp(browser, {}, "carl");
  const first = browser.cookies.get(SESSION) as string;
  expect(first).not.toBe(planted);
  await goThroughCorp(browser, {}, "carl");
  expect(browser.cookies.get(SESSION)).not.toBe(first);
  const former = started.newBrowser();
  former.cookies.set(SESSION, first);
  expect((await former.call("GET", "/me")).status).toBe(401);
});

test("an account that nobody linked signs nobody in, also where a person has its address", async () => {
  const invited = started.newBrowser();
  const token = await started.invite("bob@corp.example");
  expect((await invited.call("POST", "/invitations/accept", { token })).status).toBe(200);
  const browser = started.newBrowser();
  expect((await goThroughCorp(browser, {}, "bob")).url.href).toBe(problem("unknown_account"));
  expect(browser.cookies.has(SESSION)).toBe(false);
  const owner = await started.signedIn();
  const { items } = (await owner.call("GET", "/audit-events?type=sign_in.refused&instance=true")).body;
  expect(items).toContainEqual(expect.objectContaining({ details: { method: "connector", connector: "corp" } }));
});

test("a person who turns around at the connector is told so", async () => {
  const browser = started.newBrowser();
  const { body } = await browser.call("POST", "/sign-in/oidc/corp");
  const cancelled = await browser.pages.press(await browser.pages.open(body.location as string), "Cancel");
  expect(cancelled.url.href).toBe(problem("denied"));
});

test("a connector that does not answer is a problem of its own", async () => {
  const browser = started.newBrowser();
  const { body } = await browser.call("POST", "/sign-in/oidc/corp", {});
  const state = new URL(body.location as string).searchParams.get("state");
  started.provider.breakDown(true);
  const answer = await browser.open(
    `/api/v1/sign-in/oidc/callback?code=any&state=${state}&iss=${started.provider.issuer}`,
  );
  started.provider.breakDown(false);
  expect([answer.status, answer.headers.get("Location")]).toEqual([303, problem("failed")]);
});

test("a connector that never answered begins nothing, and says when to try again", async () => {
  const silent = await startConsole();
  silent.provider.breakDown(true);
  const { status, headers } = await silent.newBrowser().call("POST", "/sign-in/oidc/corp", {});
  await silent.stop();
  expect([status, headers.get("Retry-After")]).toEqual([503, "60"]);
});

test("only connectors that the Console names are there", async () => {
  expect((await started.newBrowser().call("POST", "/sign-in/oidc/nobody", {})).status).toBe(404);
  const { body } = await started.newBrowser().call("POST", "/sign-in/oidc/other", {});
  expect(body.detail).toBe("People do not sign in here with this connector; they do with: corp.");
  expect((await started.newBrowser().call("GET", "/sign-in")).body).toMatchObject({ connectors: ["corp"] });
});

test("what is asked for is read strictly", async () => {
  const pointers = async (asked: object) => {
    const { status, body } = await started.newBrowser().call("POST", "/sign-in/oidc/corp", asked);
    return [status, (body.errors as { pointer: string }[]).map(({ pointer }) => pointer)];
  };
  expect(await pointers({ link: false, return_to: "/console/" })).toEqual([422, ["/return_to", "/link"]]);
  expect(await pointers({ link: true, invitation: "A".repeat(43) })).toEqual([422, ["/invitation"]]);
});

test("the last way to sign in stays, and another one lets it go", async () => {
  const token = await started.invite("dora@example.com");
  const browser = started.newBrowser();
  await goThroughCorp(browser, { invitation: token }, "dora");
  const refused = await browser.call("DELETE", "/identities/corp?subject=dora");
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    "This is your last way to sign in: first add another passkey or link another account (corp).",
  ]);
  await addPasskey(browser, { origin: ISSUER });
  expect((await browser.call("DELETE", "/identities/corp?subject=dora")).status).toBe(204);
  expect(await identities(browser)).toEqual([]);
  expect((await browser.call("DELETE", "/identities/corp?subject=dora")).status).toBe(404);
  expect((await goThroughCorp(started.newBrowser(), {}, "dora")).url.href).toBe(problem("unknown_account"));
});
