import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ISSUER } from "../../support/in-process.ts";
import { AGENT, GATEWAY, LEDGER, oidcApp } from "../../support/oauth-apps.ts";
import { AUTHORIZE, authorizationURL, redeem, type SignInStarted, signIn, startSignIn, walk } from "./started.ts";

const ONLY_REDIRECT = oidcApp("one-redirect", { ...AGENT, clientID: "one-redirect" });
const TWO_REDIRECTS = oidcApp("two-redirects", {
  ...AGENT,
  clientID: "two-redirects",
  redirectURLs: ["https://agent.example/callback?kept=1", "https://agent.example/other"],
});
const EXCHANGES_ONLY = oidcApp("exchanges-only", { grantTypes: ["refresh_token"], allowedAudiences: [GATEWAY] });
const READER = oidcApp("reader", { ...AGENT, clientID: "reader", allowedAudiences: [], scopes: ["openid", "email"] });
const WITH_DEFAULT = { ...AGENT, clientID: "with-default", defaultScopes: ["tools:read"] };
const WITHOUT_DEFAULT = { ...AGENT, clientID: "without-default" };

describe("an authorization request", () => {
  let started: SignInStarted;

  beforeAll(async () => {
    started = await startSignIn({
      apps: [AGENT, ONLY_REDIRECT, TWO_REDIRECTS, EXCHANGES_ONLY, READER, WITH_DEFAULT, WITHOUT_DEFAULT],
    });
  });
  afterAll(() => started.stop());

  const open = (url: string) => started.newBrowser().open(url);

  test.each([
    ["no client", { client_id: undefined }, "does not say which application"],
    ["an unknown client", { client_id: "nobody" }, "not known here"],
    ["another redirect", { redirect_uri: "https://agent.example/callback/" }, "none of those"],
    ["a redirect with a script", { redirect_uri: "javascript:alert(1)" }, "none of those"],
    ["no redirect where there are two", { client_id: "two-redirects", redirect_uri: undefined }, "does not say where"],
    ["no redirect of an OpenID request", { client_id: "one-redirect", redirect_uri: undefined }, "does not say where"],
  ])("with %s is answered by a page that leads nowhere", async (_, changes, message) => {
    const { response, html, way } = await open(authorizationURL(changes));
    expect(response?.status).toBe(400);
    expect(way).toHaveLength(1);
    expect(html).toContain(message);
    expect(html).toContain(response?.headers.get("x-request-id"));
    expect(html).not.toContain("href=");
  });

  test.each([
    ["client_id=agent&client_id=agent"],
    [`${authorizationURL().split("?")[1]}&state=another`],
    ["client_id=%ff"],
    [`client_id=agent&state=${"s".repeat(9_000)}`],
  ])("that is malformed or repeats a parameter is answered by a page", async (query) => {
    const { response, way } = await open(`${AUTHORIZE}?${query}`);
    expect(response?.status).toBe(400);
    expect(response?.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(way).toHaveLength(1);
  });

  test.each([
    ["no response type", { response_type: undefined }, "invalid_request"],
    ["another response type", { response_type: "token" }, "unsupported_response_type"],
    ["response_mode form_post", { response_mode: "form_post" }, "invalid_request"],
    ["no scope that the client may have", { scope: "everything" }, "invalid_scope"],
    ["a malformed scope", { scope: 'tools:read "' }, "invalid_scope"],
    ["another resource", { resource: `${GATEWAY}/` }, "invalid_target"],
    ["a request object", { request: "e30." }, "request_not_supported"],
    ["a request object elsewhere", { request_uri: "https://agent.example/r" }, "request_uri_not_supported"],
    ["a registration", { registration: "{}" }, "registration_not_supported"],
    ["prompt none and more", { prompt: "none login" }, "invalid_request"],
    ["an unknown prompt", { prompt: "create" }, "invalid_request"],
    ["a max_age that is no number", { max_age: "-1" }, "invalid_request"],
    ["prompt none, and nobody signed in", { prompt: "none" }, "login_required"],
  ])("with %s is refused to the client: %s", async (_, changes, error) => {
    const { url, response } = await open(authorizationURL(changes));
    expect(response).toBeUndefined();
    expect(url.origin + url.pathname).toBe("https://agent.example/callback");
    expect(url.searchParams.get("error")).toBe(error);
    expect(url.searchParams.get("state")).toBe("the-state");
    expect(url.searchParams.get("iss")).toBe(ISSUER);
    expect(url.searchParams.get("error_description")).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  test("by a client without the grant is refused to the client", async () => {
    const { url } = await open(authorizationURL({ client_id: "exchanges-only" }));
    expect(url.searchParams.get("error")).toBe("unauthorized_client");
  });

  test("may come as a form", async () => {
    const [path, body] = authorizationURL().split("?") as [string, string];
    const send = (type: string) =>
      started.product.send(new URL(path).pathname, { method: "POST", body, headers: { "Content-Type": type } });
    const answer = await send("application/x-www-form-urlencoded");
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toContain(`${started.provider.issuer}/auth?`);
    expect((await send("application/json")).status).toBe(400);
  });

  test("by another method is 405, and HEAD begins nothing", async () => {
    for (const method of ["HEAD", "PUT", "DELETE"]) {
      const answer = await started.product.send(authorizationURL().slice(ISSUER.length), { method });
      expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "GET, POST"]);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  test("keeps the query of the redirect, and may leave out the only redirect", async () => {
    const kept = "https://agent.example/callback?kept=1";
    const { url } = await open(
      authorizationURL({ client_id: "two-redirects", redirect_uri: kept, response_type: "id_token" }),
    );
    expect(url.href).toMatch(/^https:\/\/agent\.example\/callback\?kept=1&error=unsupported_response_type&/);
    const plain = { client_id: "one-redirect", redirect_uri: undefined, scope: "tools:read", nonce: undefined };
    const answer = await walk(started.newBrowser(), authorizationURL(plain));
    expect(answer.searchParams.get("code")).toMatch(/^csc_us_/);
  });

  test("gets the scopes that the client may have, out of those it names", async () => {
    const answer = await walk(started.newBrowser(), authorizationURL({ scope: "tools:read nothing:else" }));
    expect(await (await redeem(started.product, answer)).json()).toMatchObject({ scope: "tools:read" });
  });

  test.each([
    ["none", "without-default", undefined],
    ["its default scopes", "with-default", "tools:read"],
  ])("without scopes gets %s of the client, without resources the first one", async (_, client_id, scope) => {
    const unnamed = { client_id, scope: undefined, resource: undefined };
    const browser = started.newBrowser();
    const page = await signIn(browser, await browser.open(authorizationURL(unnamed)));
    expect(page.html.includes("tools:read")).toBe(scope !== undefined);
    expect(page.html).not.toContain("tools:write");
    const { url } = await browser.press(page, "Allow");
    const tokens = (await (await redeem(started.product, url, { client_id })).json()) as { access_token: string };
    expect(tokens).toMatchObject(scope === undefined ? { token_type: "Bearer" } : { scope });
    const claims = decodeJwt(tokens.access_token);
    expect([claims.aud, claims.scope]).toEqual([GATEWAY, scope]);
  });

  test("may name several resources, of which each has to be allowed", async () => {
    const both = `${authorizationURL()}&resource=${encodeURIComponent(LEDGER)}`;
    const answer = await walk(started.newBrowser(), both);
    const token = await redeem(started.product, answer, { resource: LEDGER });
    expect(token.status).toBe(200);
    const { url } = await open(`${authorizationURL()}&resource=https%3A%2F%2Fother.example`);
    expect(url.searchParams.get("error")).toBe("invalid_target");
  });

  test("of a client without resources is about who the person is", async () => {
    const changes = { client_id: "reader", resource: undefined, scope: "openid email" };
    const answer = await walk(started.newBrowser(), authorizationURL(changes));
    expect(answer.searchParams.get("code")).toMatch(/^csc_us_/);
  });
});
