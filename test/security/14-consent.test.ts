import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { auditEvent } from "../../lib/audit/event.ts";
import { createMeddler, otherIdToken, signIdToken } from "../oauth/authorize/forged-tokens.ts";
import {
  authorizationURL,
  type Changes,
  DYNAMIC_CLIENTS,
  redeem,
  registerDynamicClient,
  type SignInStarted,
  signIn,
  startSignIn,
  walk,
} from "../oauth/authorize/started.ts";

const REDIRECT = "https://stranger.example/callback";

describe("what a person allows a client that registered itself", () => {
  let started: SignInStarted;
  beforeAll(async () => {
    started = await startSignIn({ oidcProvider: { registration: DYNAMIC_CLIENTS } });
  });
  afterAll(() => started.stop());

  const request = (client_id: string, changes: Changes = {}) =>
    authorizationURL({ client_id, redirect_uri: REDIRECT, ...changes });

  test("14. counts for the one whom the page named, not for who signs in next", async () => {
    const client_id = await registerDynamicClient(started, REDIRECT);
    const other = await registerDynamicClient(started, REDIRECT, "Another stranger");
    const browser = started.newBrowser();
    await walk(browser, request(client_id));
    const asked = await browser.open(request(other, { prompt: "login" }));
    expect(asked.html).toContain("alice@corp.example");
    const notAlice = await signIn(browser, await browser.press(asked, "Allow"), "bob");
    const again = await browser.press(notAlice, "Continue");
    expect(again.html).toContain("Allow “<bdi>Another stranger</bdi>”");
    expect(again.html).toContain("bob@corp.example");
    expect((await browser.press(again, "Allow")).url.searchParams.has("code")).toBe(true);
  });

  test("14. counts for whoever signs in next where the page named nobody", async () => {
    const client_id = await registerDynamicClient(started, REDIRECT);
    const browser = started.newBrowser();
    const asked = await browser.open(request(client_id));
    const { url } = await signIn(browser, await browser.press(asked, "Allow"));
    expect(url.searchParams.has("code")).toBe(true);
  });
});

describe("a consent that is taken back while a code is made on the strength of it", () => {
  /** Takes each consent back as soon as it was looked at so many times; 0: never. */
  let looks = 0;
  let started: SignInStarted;
  const revoking = (dependencies: Dependencies): Dependencies => {
    const { grants } = dependencies.stores;
    const consent: typeof grants.consent = async (subject, clientId) => {
      const found = await grants.consent(subject, clientId);
      if (--looks === 0) {
        const event = auditEvent(dependencies, { type: "consent.revoked", outcome: "success", actor: subject });
        await grants.revokeConsent(subject, clientId, event);
      }
      return found;
    };
    return { ...dependencies, stores: { ...dependencies.stores, grants: { ...grants, consent } } };
  };
  beforeAll(async () => {
    started = await startSignIn({ adapt: revoking });
  });
  afterAll(() => started.stop());

  test.each([1, 2])("14. is not given anew, though it was there at look %i", async (look) => {
    const browser = started.newBrowser();
    await walk(browser, authorizationURL());
    looks = look;
    const { url } = await browser.open(authorizationURL());
    expect(url.searchParams.get("error")).toBe("access_denied");
    const asked = await browser.open(authorizationURL());
    expect(asked.html).toContain("Allow “");
  });
});

describe("the time of a sign-in that the connector does not tell", () => {
  const meddler = createMeddler();
  let started: SignInStarted;
  beforeAll(async () => {
    started = await startSignIn({ adapt: meddler.adapt });
    meddler.set(otherIdToken((claims) => signIdToken({ ...claims, auth_time: undefined }, started.provider.key)));
  });
  afterAll(() => started.stop());

  test("14. is not that of the person's return, since the person may have been known there for long", async () => {
    const browser = started.newBrowser();
    const answer = await redeem(started.product, await walk(browser, authorizationURL()));
    const { access_token, id_token } = (await answer.json()) as Record<"access_token" | "id_token", string>;
    for (const token of [access_token, id_token]) expect(decodeJwt(token)).not.toHaveProperty("auth_time");
    const { way } = await browser.open(authorizationURL({ max_age: "3600" }));
    expect(way[1]).toContain(`${started.provider.issuer}/auth`);
  });
});
