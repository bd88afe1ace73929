import { exportJWK, generateKeyPair } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { StoreUnavailableError } from "../../../lib/stores/unavailable.ts";
import { STRONG } from "../../support/identity-provider.ts";
import { AGENT } from "../../support/oauth-apps.ts";
import { createMeddler, otherIdToken, signIdToken } from "./forged-tokens.ts";
import { authorizationURL, redeem, type SignInStarted, signIn, startSignIn, walk } from "./started.ts";

const NEVER = { ...AGENT, consent: "never" as const };

describe("signing in at a connector", () => {
  const meddler = createMeddler();
  let started: SignInStarted;

  beforeAll(async () => {
    started = await startSignIn({ apps: [NEVER], adapt: meddler.adapt });
  });
  afterEach(() => {
    meddler.set(undefined);
    started.provider.breakDown(false);
    started.product.clock.set(Date.now());
  });
  afterAll(() => started.stop());

  const begin = async (changes: Parameters<typeof authorizationURL>[0] = {}) => {
    const browser = started.newBrowser();
    return { browser, page: await browser.open(authorizationURL(changes)) };
  };

  /** What the person gets after signing in. */
  const finish = async (changes: Parameters<typeof authorizationURL>[0] = {}, login = "alice") => {
    const { browser, page } = await begin(changes);
    return signIn(browser, page, login);
  };

  test("asks with PKCE, a nonce and a state, and passes on what the request wants", async () => {
    const { page } = await begin({ prompt: "login consent", max_age: "60", acr_values: STRONG, login_hint: "alice" });
    const query = new URL(page.way[1] as string).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      response_type: "code",
      client_id: started.provider.client.id,
      redirect_uri: "https://us.example/oauth2/callback",
      scope: "openid profile email corp",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
      prompt: "login",
      max_age: "60",
      acr_values: STRONG,
      login_hint: "alice",
    });
    expect(query.get("code_challenge")).not.toBe(new URL(authorizationURL()).searchParams.get("code_challenge"));
    expect(page.html).toContain('value="alice"');
  });

  test("ends with a code whose ID token says who it is by the granted scopes and the mapping", async () => {
    const { url } = await finish({ scope: "openid email" });
    const tokens = (await (await redeem(started.product, url)).json()) as { id_token: string };
    const claims = await started.product.dependencies.keyRing.verify(tokens.id_token, "JWT");
    expect(claims).toMatchObject({
      sub: expect.stringMatching(/^user_[\w-]{43}$/),
      email: "alice@corp.example",
      email_verified: true,
      department: "accounting",
      nonce: "the-nonce",
      amr: ["pwd"],
      auth_time: expect.any(Number),
    });
    expect(claims).not.toHaveProperty("name");
  });

  test("that the person breaks off is access_denied", async () => {
    const { browser, page } = await begin();
    const { url } = await browser.press(page, "Cancel");
    expect(url.searchParams.get("error")).toBe("access_denied");
    expect(url.searchParams.get("state")).toBe("the-state");
  });

  test.each([
    ["another issuer", { iss: "https://other.example" }],
    ["another audience", { aud: "another-client" }],
    ["a further audience and no authorized party", { aud: ["countersign", "another-client"] }],
    ["another authorized party", { azp: "another-client" }],
    ["another nonce", { nonce: "another" }],
    ["no nonce", { nonce: undefined }],
    ["no subject", { sub: undefined }],
    ["a subject that is no text", { sub: 5 }],
    ["no expiry", { exp: undefined }],
  ])("with an ID token that has %s is a page, and nobody is signed in", async (_, changes) => {
    meddler.set(otherIdToken((claims) => signIdToken({ ...claims, ...changes }, started.provider.key)));
    const { response, html } = await finish();
    expect(response?.status).toBe(400);
    expect(html).toContain("could not be verified");
    expect(html).toContain(response?.headers.get("x-request-id"));
    expect(response?.headers.getSetCookie()).toEqual([]);
  });

  test("with an ID token by another key, or without a signature, is a page", async () => {
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const foreign = { ...(await exportJWK(privateKey)), kid: started.provider.key.kid as string };
    meddler.set(otherIdToken((claims) => signIdToken(claims, foreign)));
    expect((await finish()).response?.status).toBe(400);
    meddler.set(
      otherIdToken(async (claims) => {
        const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
        return `${encode({ alg: "none" })}.${encode(claims)}.`;
      }),
    );
    expect((await finish()).response?.status).toBe(400);
  });

  test("holds a clock that differs by up to a minute, and says so when it differs by more", async () => {
    const expiring = (seconds: number) =>
      otherIdToken((claims) =>
        signIdToken({ ...claims, exp: Math.floor(Date.now() / 1000) + seconds }, started.provider.key),
      );
    meddler.set(expiring(-50));
    expect((await finish()).url.searchParams.has("code")).toBe(true);
    meddler.set(expiring(-70));
    const { response, html } = await finish();
    expect(response?.status).toBe(400);
    expect(html).toContain("clock");
  });

  test("anew or lately, where that was asked for, and not by an older sign-in", async () => {
    const hourAgo = Math.floor(Date.now() / 1000) - 3_600;
    meddler.set(otherIdToken((claims) => signIdToken({ ...claims, auth_time: hourAgo }, started.provider.key)));
    expect((await finish()).url.searchParams.has("code")).toBe(true);
    for (const changes of [{ max_age: "600" }, { prompt: "login" }]) {
      expect((await finish(changes)).response?.status).toBe(400);
    }
  });

  test("is about one person: userinfo of another is refused", async () => {
    meddler.set((path, answer) => (path === "/me" ? Response.json({ sub: "bob", name: "Bob" }) : answer));
    expect((await finish()).response?.status).toBe(400);
  });

  test.each([
    ["does not answer as it should", () => new Response("<html>", { status: 500 })],
    ["refuses us", () => Response.json({ error: "invalid_client" }, { status: 401 })],
    [
      "answers without end",
      () => new Response("x".repeat(2_000_000), { headers: { "Content-Type": "application/json" } }),
    ],
  ])("whose token endpoint %s is a page that says so", async (_, answer) => {
    meddler.set((path, real) => (path === "/token" ? answer() : real));
    const { response, html } = await finish();
    expect(response?.status).toBe(503);
    expect(html).toContain("does not answer");
  });

  test("with prompt none asks nothing: the connector's refusal and its failures go to the client", async () => {
    const { browser, page } = await begin({ prompt: "none" });
    expect(page.url.searchParams.get("error")).toBe("login_required");
    await walk(browser, authorizationURL());
    browser.cookies.delete("__Host-countersign");
    expect((await browser.open(authorizationURL({ prompt: "none" }))).url.searchParams.has("code")).toBe(true);
    browser.cookies.delete("__Host-countersign");
    meddler.set((path, real) => (path === "/token" ? new Response(null, { status: 500 }) : real));
    const { url } = await browser.open(authorizationURL({ prompt: "none" }));
    expect(url.searchParams.get("error")).toBe("temporarily_unavailable");
  });

  test("as strongly as asked for, or the client is told that it was not", async () => {
    const strong = await finish({ acr_values: `urn:other ${STRONG}` });
    const tokens = (await (await redeem(started.product, strong.url)).json()) as { id_token: string };
    expect(await started.product.dependencies.keyRing.verify(tokens.id_token, "JWT")).toMatchObject({ acr: STRONG });
    const weak = await finish({ acr_values: STRONG }, "weak");
    expect(weak.url.searchParams.get("error")).toBe("unmet_authentication_requirements");
  });

  test("within the answer's own issuer only (RFC 9207)", async () => {
    const { browser, page } = await begin();
    let callback = "";
    const keeping = started.newBrowser();
    for (const [name, value] of browser.cookies) keeping.cookies.set(name, value);
    const signedIn = await signIn(browser, page);
    callback = signedIn.way.find((url) => url.includes("/oauth2/callback")) as string;
    expect(new URL(callback).searchParams.get("iss")).toBe(started.provider.issuer);

    const second = await begin();
    const state = new URL(second.page.way[1] as string).searchParams.get("state") as string;
    const mixedUp = new URL(callback);
    mixedUp.searchParams.set("state", state);
    mixedUp.searchParams.set("iss", "https://evil.example");
    expect((await second.browser.open(mixedUp)).response?.status).toBe(400);
  });

  test("is recorded, and so is a sign-in that failed", async () => {
    await finish();
    meddler.set(otherIdToken((claims) => signIdToken({ ...claims, nonce: "another" }, started.provider.key)));
    await finish();
    const { stores } = started.product.dependencies;
    const organization = await stores.directory.firstOrganization();
    const of = async (type: string, organizationId: string | undefined) =>
      (await stores.auditLog.query({ type, organizationId }, { limit: 1 })).items[0];
    expect(await of("sign_in.succeeded", organization?.organizationId)).toMatchObject({
      agent: "agent",
      user: expect.stringMatching(/^user_/),
      details: { method: "connector", connector: "corp" },
    });
    expect(await of("sign_in.refused", undefined)).toMatchObject({
      details: { method: "connector", connector: "corp" },
    });
  });
});

describe("this instance at a connector", () => {
  const answerOf = async (options: Parameters<typeof startSignIn>[0]) => {
    const started = await startSignIn({ apps: [NEVER], ...options });
    const answer = await walk(started.newBrowser(), authorizationURL());
    await started.stop();
    return answer.searchParams.has("code");
  };

  test("authenticates by its secret in the form", async () => {
    const registration = { token_endpoint_auth_method: "client_secret_post" };
    expect(await answerOf({ registration, connector: { clientAuthentication: "client_secret_post" } })).toBe(true);
  });

  test("authenticates by a key of its own", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const registration = {
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: "ES256",
      jwks: { keys: [await exportJWK(publicKey)] },
    };
    const connector = { clientAuthentication: "private_key_jwt", privateKey: await exportJWK(privateKey) } as const;
    expect(await answerOf({ registration, connector })).toBe(true);
  });

  test("leaves PKCE out where it has to", async () => {
    const registration = { client_name: "without PKCE" };
    expect(await answerOf({ registration, connector: { disablePKCE: true } })).toBe(true);
  });
});

describe("a connector that is down", () => {
  test("is a page with the request's id, and for prompt none an answer to the client", async () => {
    const started = await startSignIn();
    started.provider.breakDown(true);
    const { response, html } = await started.newBrowser().open(authorizationURL());
    expect(response?.status).toBe(503);
    expect(html).toContain("The identity provider does not answer");
    expect(html).toContain(response?.headers.get("x-request-id"));
    const { url } = await started.newBrowser().open(authorizationURL({ prompt: "none" }));
    expect(url.searchParams.get("error")).toBe("temporarily_unavailable");
    await started.stop();
  });
});

describe("a store that does not answer", () => {
  test("is a page that says to try again", async () => {
    const begin = () => Promise.reject(new StoreUnavailableError("the store is away"));
    const started = await startSignIn({
      adapt: (dependencies) => ({
        ...dependencies,
        stores: { ...dependencies.stores, grants: { ...dependencies.stores.grants, begin } },
      }),
    });
    const { response, html } = await started.newBrowser().open(authorizationURL());
    expect([response?.status, response?.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(html).toContain("Try again.");
    expect(html).not.toContain("away");
    await started.stop();
  });
});

describe("several connectors", () => {
  let started: SignInStarted;
  beforeAll(async () => {
    started = await startSignIn({ apps: [{ ...NEVER, idps: ["corp", "other"] }], hasTwoConnectors: true });
  });
  afterAll(() => started.stop());

  test("are offered, and the session's is used again", async () => {
    const browser = started.newBrowser();
    const page = await browser.open(authorizationURL());
    expect(page.html).toContain("Where do you want to sign in?");
    const { url } = await signIn(browser, await browser.press(page, "other"));
    expect(url.searchParams.has("code")).toBe(true);
    expect((await browser.open(authorizationURL())).url.searchParams.has("code")).toBe(true);
    const choice = await browser.open(authorizationURL({ prompt: "select_account" }));
    expect(choice.html).toContain("Where do you want to sign in?");
  });

  test("with prompt none and nobody signed in are login_required", async () => {
    const { url } = await started.newBrowser().open(authorizationURL({ prompt: "none" }));
    expect(url.searchParams.get("error")).toBe("login_required");
  });
});
