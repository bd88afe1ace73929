import { afterEach, beforeEach, expect, test } from "vitest";
import { CONSOLE } from "../../support/configuration.ts";
import type { ConsoleBrowser } from "../../support/console-browser.ts";
import { type InProcess, ISSUER, START, startInProcess } from "../../support/in-process.ts";
import { type Authenticator, type Ceremony, createAuthenticator, type RequestOptions } from "../../support/passkey.ts";
import { addPasskey, browserOf, signedIn, signInBy } from "./person.ts";

const PAGE = { origin: ISSUER };
const SESSION = "__Host-countersign-console";

let product: InProcess;
let owner: ConsoleBrowser;
let authenticator: Authenticator;
beforeEach(async () => {
  product = await startInProcess({ configuration: { console: { ...CONSOLE, enabled: true, baseURL: ISSUER } } });
  owner = await signedIn(product);
  authenticator = await addPasskey(owner, { ...PAGE, counter: 5 });
});
afterEach(() => product.close());

async function optionsOf(browser: ConsoleBrowser): Promise<RequestOptions> {
  return (await browser.call("POST", "/sign-in/passkey/options", {})).body as unknown as RequestOptions;
}

async function refusals(): Promise<readonly unknown[]> {
  const { items } = (await owner.call("GET", "/audit-events?type=sign_in.refused&instance=true")).body as { items: [] };
  return items;
}

test("33. a passkey signs its person in, in a new session, and ends the one of before", async () => {
  const former = owner.cookies.get(SESSION) as string;
  const { status, body } = await signInBy(authenticator, owner, { ...PAGE, counter: 6 });
  expect([status, body]).toEqual([200, expect.objectContaining({ email: "owner@example.com" })]);
  expect(owner.cookies.get(SESSION)).not.toBe(former);
  const planted = browserOf(product);
  planted.cookies.set(SESSION, former);
  expect((await planted.call("GET", "/me")).status).toBe(401);
  const { items } = (await owner.call("GET", "/browser-sessions")).body as { items: [] };
  expect(items).toMatchObject([{ method: "passkey", isCurrent: true }]);
  expect((await owner.call("GET", "/passkeys")).body).toMatchObject({
    items: [{ lastUsedAt: new Date(START).toISOString() }],
  });
});

test("the options name no passkey, so that they tell of nobody", async () => {
  expect(await optionsOf(browserOf(product))).toEqual({
    challenge: expect.stringMatching(/^[\w-]{43}$/),
    rpId: "us.example",
    timeout: 300_000,
    userVerification: "required",
  });
});

test.each<[string, Ceremony]>([
  ["another origin", { origin: "https://evil.example" }],
  ["authenticator data for another site", { ...PAGE, rpId: "evil.example" }],
  ["a device that did not check who uses it", { ...PAGE, isVerified: false }],
  ["a frame on another site's page", { ...PAGE, clientData: { crossOrigin: true } }],
  ["another kind of ceremony", { ...PAGE, clientData: { type: "webauthn.create" } }],
])("33. a use with %s signs nobody in, and is recorded", async (_, ceremony) => {
  const browser = browserOf(product);
  expect((await signInBy(authenticator, browser, { counter: 6, ...ceremony })).status).toBe(403);
  expect(browser.cookies.has(SESSION)).toBe(false);
  expect(await refusals()).toMatchObject([{ reason: "passkey unknown or refused", details: { method: "passkey" } }]);
});

test("33. a challenge is answered once, in time, and in its browser", async () => {
  const browser = browserOf(product);
  const verify = async (from: ConsoleBrowser, answer: object) =>
    (await from.call("POST", "/sign-in/passkey/verify", answer)).status;
  const answer = await authenticator.authenticate(await optionsOf(browser), { ...PAGE, counter: 6 });
  expect(await verify(browserOf(product), answer)).toBe(403);
  expect(await verify(browser, answer)).toBe(200);
  expect(await verify(browser, answer)).toBe(403);
  const late = await authenticator.authenticate(await optionsOf(browser), { ...PAGE, counter: 7 });
  product.clock.set(START + 300_000);
  expect(await verify(browser, late)).toBe(403);
  const madeUp = { challenge: "A".repeat(43), rpId: "us.example" };
  expect(await verify(browser, await authenticator.authenticate(madeUp, { ...PAGE, counter: 8 }))).toBe(403);
});

test("33. a counter that does not grow is refused, and the organization is told", async () => {
  expect((await signInBy(authenticator, browserOf(product), { ...PAGE, counter: 6 })).status).toBe(200);
  for (const counter of [6, 5, 0]) {
    const { status, body } = await signInBy(authenticator, browserOf(product), { ...PAGE, counter });
    expect([status, body.detail]).toEqual([403, expect.stringContaining("may have been copied")]);
  }
  product.clock.set(product.clock.now() + 1);
  await product.dependencies.refusals.flush();
  const { items } = (await owner.call("GET", "/audit-events?type=sign_in.refused")).body as { items: object[] };
  expect(items).toHaveLength(2);
  expect(items[0]).toMatchObject({
    count: 2,
    reason: "the passkey's counter has not grown",
    details: { method: "passkey", passkeyId: authenticator.credentialId },
  });
});

test("33. of two uses at the same time with one counter, one counts", async () => {
  const uses = await Promise.all(
    [0, 1].map(() => signInBy(authenticator, browserOf(product), { ...PAGE, counter: 6 })),
  );
  expect(uses.map(({ status }) => status).toSorted()).toEqual([200, 403]);
});

test("a passkey without a counter signs in again and again", async () => {
  const synchronised = await addPasskey(owner, PAGE);
  for (let count = 0; count < 3; count++) {
    expect((await signInBy(synchronised, browserOf(product), PAGE)).status).toBe(200);
  }
});

test("33. passkeys that are unknown, removed or of another person sign nobody in", async () => {
  const stranger = await createAuthenticator();
  const user = { id: "dXNlcl94" };
  await stranger.register({ challenge: "", rp: { id: "us.example" }, user }, PAGE);
  expect((await signInBy(stranger, browserOf(product), PAGE)).status).toBe(403);

  const browser = browserOf(product);
  const use = await authenticator.authenticate(await optionsOf(browser), { ...PAGE, counter: 6 });
  const disguised = { ...use, response: { ...use.response, userHandle: user.id } };
  expect((await browser.call("POST", "/sign-in/passkey/verify", disguised)).status).toBe(403);

  const other = await addPasskey(owner, PAGE);
  expect((await owner.call("DELETE", `/passkeys/${other.credentialId}`)).status).toBe(204);
  expect((await signInBy(other, browserOf(product), PAGE)).body.detail).toContain("not known here");
});

test("33. a signature by another key signs nobody in", async () => {
  const browser = browserOf(product);
  const forger = await createAuthenticator();
  const options = await optionsOf(browser);
  const real = await authenticator.authenticate(options, { ...PAGE, counter: 6 });
  const forged = await forger.authenticate(options, { ...PAGE, counter: 6 });
  const response = { ...real.response, signature: forged.response.signature };
  expect((await browser.call("POST", "/sign-in/passkey/verify", { ...real, response })).status).toBe(403);
});

test("33. other sites neither begin nor finish a sign-in", async () => {
  for (const path of ["/api/v1/sign-in/passkey/options", "/api/v1/sign-in/passkey/verify"]) {
    const headers = { "Content-Type": "application/json", Origin: "https://evil.example" };
    const { status } = await product.send(path, { method: "POST", headers, body: "{}" });
    expect(status).toBe(403);
  }
});
