import { afterEach, beforeEach, expect, test } from "vitest";
import { RECENT_SIGN_IN } from "../../lib/directory/sign-in-methods.ts";
import { ISSUER } from "../support/in-process.ts";
import { type Authenticator, type CreationOptions, createAuthenticator } from "../support/passkey.ts";
import {
  type Browser,
  type ConsoleStarted,
  goThroughCorp,
  signInAtCorp,
  startConsole,
} from "./connector-sign-in/started.ts";
import { addPasskey, signInBy } from "./passkeys/person.ts";

const PAGE = { origin: ISSUER };
const PROBLEM = {
  type: "urn:countersign:problem:recent_sign_in_required",
  title: "Sign in again",
  status: 403,
  detail: "Sign in again: how you sign in can be changed for 10 minutes after that.",
};

let started: ConsoleStarted;
let owner: Browser;
let passkey: Authenticator;
beforeEach(async () => {
  started = await startConsole();
  owner = await started.signedIn();
  passkey = await addPasskey(owner, PAGE);
});
afterEach(() => started.stop());

const pass = (milliseconds: number) => started.product.clock.set(started.product.clock.now() + milliseconds);
const options = async (browser: Browser) => (await browser.call("POST", "/passkeys/options", {})).body;

/** Each change of how a person signs in, by what it asks for first. */
const changes = (): readonly (readonly [string, string, object?])[] => [
  ["POST", "/passkeys/options", {}],
  ["DELETE", `/passkeys/${passkey.credentialId}`],
  ["POST", "/sign-in/oidc/corp", { link: true }],
  ["DELETE", "/identities/corp?subject=alice"],
];

test("33. in a session that is older than ten minutes nobody changes how its person signs in", async () => {
  await goThroughCorp(owner, { link: true }, "alice");
  pass(RECENT_SIGN_IN + 1);
  for (const [method, path, body] of changes()) {
    const answer = await owner.call(method, path, body);
    expect([path, answer.status, answer.headers.get("Content-Type")]).toEqual([path, 403, "application/problem+json"]);
    expect(answer.body).toMatchObject(PROBLEM);
  }
  expect((await owner.call("GET", "/passkeys")).body.items).toHaveLength(1);
  expect((await owner.call("GET", "/identities")).body.items).toHaveLength(1);
});

test("33. the use of a session makes its sign-in no younger", async () => {
  for (let minute = 0; minute < 11; minute++) {
    pass(60_000);
    expect((await owner.call("GET", "/me")).status).toBe(200);
  }
  expect((await owner.call("POST", "/passkeys/options", {})).body).toMatchObject(PROBLEM);
});

test("33. ten minutes after signing in a person may still, and what was begun in time is finished", async () => {
  // The provider's own clock stands still at the time of its answer.
  pass(-RECENT_SIGN_IN - 60_000);
  owner = await started.signedIn();
  pass(RECENT_SIGN_IN);
  const creation = (await options(owner)) as unknown as CreationOptions;
  const { body } = await owner.call("POST", "/sign-in/oidc/corp", { link: true, returnTo: "/console/account" });
  pass(60_000);
  const response = await (await createAuthenticator()).register(creation, PAGE);
  expect((await owner.call("POST", "/passkeys", { response })).status).toBe(201);
  expect((await signInAtCorp(owner, body.location as string, "alice")).url.href).toBe(`${ISSUER}/console/account`);
});

test("33. an answer that comes when nothing can be under way any more needs a sign-in, too", async () => {
  const creation = (await options(owner)) as unknown as CreationOptions;
  const response = await (await createAuthenticator()).register(creation, PAGE);
  pass(RECENT_SIGN_IN + 300_001);
  expect((await owner.call("POST", "/passkeys", { response })).body).toMatchObject(PROBLEM);
});

test("33. signing in again opens it, in the session that this begins alone", async () => {
  pass(RECENT_SIGN_IN + 1);
  const elsewhere = await started.signedIn();
  expect((await owner.call("POST", "/passkeys/options", {})).status).toBe(403);
  expect((await signInBy(passkey, owner, PAGE)).status).toBe(200);
  await addPasskey(owner, PAGE);
  expect((await elsewhere.call("GET", "/passkeys")).body.items).toHaveLength(2);
  expect((await owner.call("DELETE", `/passkeys/${passkey.credentialId}`)).status).toBe(204);
});

test("who has no way to sign in adds the first one as long as the session lives", async () => {
  const bob = started.newBrowser();
  await bob.call("POST", "/invitations/accept", { token: await started.invite("bob@example.com") });
  pass(RECENT_SIGN_IN * 3);
  await addPasskey(bob, PAGE);
  expect((await bob.call("POST", "/passkeys/options", {})).body).toMatchObject(PROBLEM);
});

test("33. who has a passkey adds another one after signing in with it, and not with an account at a provider alone", async () => {
  await goThroughCorp(owner, { link: true }, "alice");
  pass(1_000);
  const elsewhere = started.newBrowser();
  await goThroughCorp(elsewhere, {}, "alice");
  const refused = await elsewhere.call("POST", "/passkeys/options", {});
  expect([refused.status, refused.body.detail]).toEqual([403, expect.stringMatching(/^Sign in with your passkey/)]);
  expect((await signInBy(passkey, elsewhere, PAGE)).status).toBe(200);
  expect((await elsewhere.call("POST", "/passkeys/options", {})).status).toBe(200);
  // Who has lost it gets on.
  await goThroughCorp(elsewhere, {}, "alice");
  expect((await elsewhere.call("DELETE", `/passkeys/${passkey.credentialId}`)).status).toBe(204);
  expect((await elsewhere.call("POST", "/passkeys/options", {})).status).toBe(200);
});

test("33. who has a passkey makes somebody an owner after signing in with it, and not for a day after it was taken away", async () => {
  await goThroughCorp(owner, { link: true }, "alice");
  pass(1_000);
  const elsewhere = started.newBrowser();
  await goThroughCorp(elsewhere, {}, "alice");
  const invite = (browser: Browser, role: string) =>
    browser.call("POST", "/invitations", { email: "bob@example.com", role });
  const refused = await invite(elsewhere, "owner");
  expect([refused.status, refused.body.detail]).toEqual([403, "Sign in with your passkey to make somebody an owner."]);
  expect((await invite(elsewhere, "member")).status).toBe(201);
  const bob = started.newBrowser();
  await bob.call("POST", "/invitations/accept", { token: await started.invite("bob@example.com") });
  const { userId } = (await bob.call("GET", "/me")).body;
  const promote = (browser: Browser) => browser.call("PATCH", `/members/${userId}`, { role: "owner" });
  expect((await promote(elsewhere)).body).toMatchObject({ type: PROBLEM.type });
  // Who takes the passkey away has the account alone.
  expect((await elsewhere.call("DELETE", `/passkeys/${passkey.credentialId}`)).status).toBe(204);
  for (const answer of [await invite(elsewhere, "owner"), await promote(elsewhere)])
    expect([answer.status, answer.body.detail]).toEqual([403, expect.stringContaining("make nobody an owner")]);
  expect((await promote(await started.signedIn())).status).toBe(403);
  pass(86_400_001);
  expect((await promote(await started.signedIn())).status).toBe(200);
});
