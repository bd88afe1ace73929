import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import { AGENT, oidcApp } from "../../support/oauth-apps.ts";
import type { PersonsBrowser, Visit } from "../../support/person.ts";
import {
  authorizationURL,
  DYNAMIC_CLIENTS,
  redeem,
  registerDynamicClient,
  type SignInStarted,
  signIn,
  startSignIn,
  walk,
} from "./started.ts";

const SHORT = { ...AGENT, consent: "never" as const, accessToken: { type: "jwt" as const, lifetime: 60_000 } };
const OTHER = oidcApp("other-agent", { ...AGENT, clientID: "other-agent" });
const DYNAMIC_CLIENT_REDIRECT = "https://stranger.example/callback";

describe("a request with the ID token of a person", () => {
  let started: SignInStarted;
  /** Of Alice, at the agent. */
  let hint: string;
  let alice: string;
  /** Bob is signed in, here and at the provider. */
  let bobs: PersonsBrowser;

  beforeAll(async () => {
    const oidcProvider = { registration: { ...DYNAMIC_CLIENTS } };
    started = await startSignIn({ apps: [SHORT, OTHER], oidcProvider });
  });
  afterAll(() => started.stop());
  beforeEach(async () => {
    started.product.clock.set(Date.now());
    hint = await idToken(await walk(started.newBrowser(), authorizationURL()));
    alice = decodeJwt(hint).sub as string;
    bobs = started.newBrowser();
    await walk(bobs, authorizationURL(), "bob");
  });

  const idToken = async (answer: URL, changes: Parameters<typeof redeem>[2] = {}) =>
    ((await (await redeem(started.product, answer, changes)).json()) as { id_token: string }).id_token;
  const asked = (changes: Parameters<typeof authorizationURL>[0] = {}) =>
    authorizationURL({ id_token_hint: hint, ...changes });
  /** The provider ends Bob's session by a page that goes on by itself. */
  const signInAsAlice = async (page: Visit) => bobs.press(await signIn(bobs, page, "alice"), "Continue");
  const errorOf = ({ url }: { readonly url: URL }) => url.searchParams.get("error");

  test("is answered from that person's session, also when the token has expired", async () => {
    const browser = started.newBrowser();
    await walk(browser, authorizationURL());
    const { clock } = started.product;
    clock.set(clock.now() + 61_000);
    const { url } = await browser.open(asked({ prompt: "none" }));
    expect(decodeJwt(await idToken(url)).sub).toBe(alice);
  });

  test("is login_required with prompt=none where somebody else is signed in, and nobody is asked", async () => {
    const seen = started.provider.requests.length;
    const visit = await bobs.open(asked({ prompt: "none" }));
    expect(errorOf(visit)).toBe("login_required");
    expect(visit.url.searchParams.get("state")).toBe("the-state");
    expect(started.provider.requests.length).toBe(seen);
    expect((await bobs.open(authorizationURL({ prompt: "none" }))).url.searchParams.has("code")).toBe(true);
  });

  test("lets that person sign in where somebody else is signed in, here and at the provider", async () => {
    const page = await bobs.open(asked());
    expect(page.html).toContain("Sign in at Corp");
    const { url } = await signInAsAlice(page);
    expect(decodeJwt(await idToken(url)).sub).toBe(alice);
  });

  test("is login_required when another person signs in for it", async () => {
    for (const browser of [bobs, started.newBrowser()]) {
      const visit = await signIn(browser, await browser.open(asked()), "bob");
      expect(errorOf(visit)).toBe("login_required");
      expect(visit.url.searchParams.has("code")).toBe(false);
    }
  });

  test("is login_required when the provider brings another person with prompt=none", async () => {
    bobs.cookies.delete("__Host-countersign");
    const visit = await bobs.open(asked({ prompt: "none" }));
    expect(visit.way.join("\n")).toContain(`${started.provider.issuer}/auth?`);
    expect(errorOf(visit)).toBe("login_required");
  });

  test("tells nobody who that is, and keeps no more of the token", async () => {
    const page = await bobs.open(asked());
    const { url, way } = await signIn(bobs, page, "bob");
    const shown = [...page.way.slice(1), page.html, ...way].join("\n");
    for (const secret of [hint, alice, "Alice", "alice%40"]) expect(shown).not.toContain(secret);
    expect(url.searchParams.get("error_description")).toBe("the person of the ID token did not sign in");
    const state = new URL((await bobs.open(asked())).way[1] ?? "").searchParams.get("state") ?? "";
    const { stores, clock } = started.product.dependencies;
    const kept = JSON.stringify(await stores.grants.interaction(sha256base64url(state), clock.now()));
    expect(kept).toContain(alice);
    for (const part of [hint, "Alice", "alice@corp.example"]) expect(kept).not.toContain(part);
  });

  test("by a client that came by itself asks nobody else for consent", async () => {
    const client_id = await registerDynamicClient(started, DYNAMIC_CLIENT_REDIRECT);
    const own = { client_id, redirect_uri: DYNAMIC_CLIENT_REDIRECT };
    const answer = await walk(started.newBrowser(), authorizationURL(own));
    const id_token_hint = await idToken(answer, { ...own, client_secret: undefined });
    const consent = await bobs.open(authorizationURL({ ...own, id_token_hint }));
    expect(consent.html).toContain("You sign in next.");
    expect(consent.html).not.toContain("signed in as");
    const { url } = await signInAsAlice(await bobs.press(consent, "Allow"));
    expect(url.searchParams.has("code")).toBe(true);
  });

  test("is invalid_request with anything else than an ID token of ours that is the client's", async () => {
    const { access_token } = (await (
      await redeem(started.product, await walk(started.newBrowser(), authorizationURL()))
    ).json()) as { access_token: string };
    const elsewhere = { iss: "https://elsewhere.example", sub: alice, aud: AGENT.clientID };
    const refused = [
      { id_token_hint: "x" },
      { id_token_hint: `${hint}x` },
      { id_token_hint: access_token },
      { id_token_hint: await started.product.dependencies.keyRing.sign(elsewhere, "JWT") },
      { client_id: "other-agent" },
    ];
    for (const changes of refused) expect(errorOf(await bobs.open(asked(changes)))).toBe("invalid_request");
  });
});
