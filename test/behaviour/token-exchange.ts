import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { openBrowser } from "../support/person.ts";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { RESOURCE_SERVER } from "./configuration.ts";
import {
  type Answer,
  answerOf,
  assertionParameters,
  basic,
  createSigner,
  issueToken,
  manage,
  NO_UPSTREAM,
  type Parameters,
  postForm,
  type Signer,
  setUpOwner,
  signAssertion,
  tokenEndpointOf,
} from "./fixture.ts";
import {
  GATEWAY_APP,
  JOB_APP,
  LEDGER,
  LEDGER_APP,
  peopleConfiguration,
  providerVariables,
} from "./people-configuration.ts";

const TYPE = "urn:ietf:params:oauth:token-type";
/** Nobody answers here: the identity provider sends a browser to it. */
const TESTER = "https://tester.example/callback";

/** RFC 8693 over HTTP: chains of API clients, tokens of a connector's provider, and what ends them. */
export function tokenExchange(runtime: RuntimeUnderTest): void {
  describe("token exchange", () => {
    let regions: RunningRegions;
    let provider: IdentityProvider;
    let signer: Signer;
    let clientToken: string;
    beforeAll(async () => {
      provider = await startIdentityProvider();
      const variables = { UPSTREAM_URL: NO_UPSTREAM, ...providerVariables(provider) };
      regions = await runtime.start({ configuration: peopleConfiguration, variables });
      await provider.register([`${regions.us.url}/oauth2/callback`, TESTER]);
      const owner = await setUpOwner(regions.us);
      signer = await createSigner(owner, { scopes: ["tools:read"], resources: [`${regions.us.url}/mcp`] });
      clientToken = await issueToken(regions.us, signer, { resource: `${regions.us.url}/mcp` });
      newestEvent = (type) =>
        expect.poll(
          async () => {
            const answer = await answerOf(manage(owner, "GET", `/audit-events?type=${type}&limit=5`));
            return (answer.body as { readonly items: readonly Readonly<Record<string, unknown>>[] }).items[0];
          },
          { timeout: 10_000 },
        );
    });
    afterAll(async () => {
      await regions.stop();
      await provider.stop();
    });
    /** Expectations of the newest record of a type, which may come a moment later. */
    let newestEvent: (type: string) => ReturnType<typeof expect.poll>;

    const exchange = (caller: typeof GATEWAY_APP | typeof LEDGER_APP, text: string, more: Parameters = {}) =>
      answerOf(
        postForm(
          tokenEndpointOf(regions.us),
          {
            grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
            subject_token: text,
            subject_token_type: `${TYPE}:access_token`,
            audience: LEDGER,
            ...more,
          },
          basic(caller),
        ),
      );
    const tokenOf = ({ status, body }: Answer): string => {
      if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
      return (body as { readonly access_token: string }).access_token;
    };
    const introspected = async (token: string) =>
      (await answerOf(postForm(`${regions.us.url}/oauth2/introspect`, { token }, basic(RESOURCE_SERVER)))).body;

    test("an API client's token becomes one that names it as subject and as actor, over two links", async () => {
      const first = await exchange(GATEWAY_APP, clientToken, { scope: "ledger:read" });
      expect(first.headers.get("Cache-Control")).toBe("no-store");
      expect(first.body).toMatchObject({ token_type: "Bearer", issued_token_type: `${TYPE}:access_token` });
      const token = tokenOf(first);
      expect(decodeJwt(token)).toMatchObject({ sub: signer.clientId, act: { sub: signer.clientId }, aud: LEDGER });
      const second = tokenOf(await exchange(LEDGER_APP, token));
      expect(second).toMatch(/^cst_us_/);
      expect(await introspected(second)).toMatchObject({
        active: true,
        sub: signer.clientId,
        client_id: "ledger",
        act: { sub: "gateway", act: { sub: signer.clientId } },
      });
      await newestEvent("token.exchanged").toMatchObject({
        outcome: "success",
        agent: expect.any(String),
        actChain: expect.any(Array),
      });
    });

    test("what was exchanged ends with the API client's own token, on the next request", async () => {
      const own = await issueToken(regions.us, signer, { resource: `${regions.us.url}/mcp` });
      const first = tokenOf(await exchange(GATEWAY_APP, own));
      const second = tokenOf(await exchange(LEDGER_APP, first));
      const authentication = assertionParameters(await signAssertion(signer, regions.us));
      const revoked = await postForm(`${regions.us.url}/oauth2/revoke`, { token: own, ...authentication });
      expect(revoked.status).toBe(200);
      await revoked.body?.cancel();
      for (const text of [own, first, second]) expect(await introspected(text)).toEqual({ active: false });
      expect(await exchange(GATEWAY_APP, own)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
      expect(await exchange(LEDGER_APP, first)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    });

    test("impersonation leaves an event of its own", async () => {
      const token = tokenOf(await exchange(GATEWAY_APP, clientToken, { requested_mode: "impersonation" }));
      expect(decodeJwt(token)).not.toHaveProperty("act");
      await newestEvent("token.impersonated").toMatchObject({ actor: "gateway", outcome: "success" });
      expect(await exchange(LEDGER_APP, clientToken, { requested_mode: "impersonation" })).toMatchObject({
        status: 400,
        body: { error: "unauthorized_client" },
      });
    });

    describe("an app that acts for itself", () => {
      const own = { scope: "jobs:run", resource: LEDGER };
      const configured = (authentication: openid.ClientAuth, clientId: string = JOB_APP.clientId) =>
        openid.discovery(new URL(regions.us.url), clientId, undefined, authentication, {
          execute: [openid.allowInsecureRequests],
        });

      test("gets a token by its secret with openid-client, which nobody refreshes", async () => {
        for (const method of [openid.ClientSecretBasic, openid.ClientSecretPost]) {
          const tokens = await openid.clientCredentialsGrant(await configured(method(JOB_APP.secret)), own);
          expect(tokens).toMatchObject({ token_type: "bearer", expires_in: 300, scope: "jobs:run" });
          expect(tokens.refresh_token).toBeUndefined();
          const claims = decodeJwt(tokens.access_token);
          expect(claims).toMatchObject({ sub: "job", client_id: "job", aud: LEDGER, scope: "jobs:run" });
          expect(claims).not.toHaveProperty("act");
        }
        await newestEvent("token.issued").toMatchObject({
          agent: "job",
          app: "job",
          details: { grantType: "client_credentials" },
        });
      });

      test("gets one with oauth4webapi, and exchanges act for the app itself", async () => {
        const insecure = { [oauth.allowInsecureRequests]: true };
        const issuer = new URL(regions.us.url);
        const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
        const server = await oauth.processDiscoveryResponse(issuer, found);
        const client: oauth.Client = { client_id: JOB_APP.clientId };
        const parameters = new URLSearchParams({ resource: `${regions.us.url}/mcp` });
        const authentication = oauth.ClientSecretBasic(JOB_APP.secret);
        const response = await oauth.clientCredentialsGrantRequest(
          server,
          client,
          authentication,
          parameters,
          insecure,
        );
        const tokens = await oauth.processClientCredentialsResponse(server, client, response);
        expect(tokens.scope).toBeUndefined();
        const exchanged = tokenOf(await exchange(GATEWAY_APP, tokens.access_token));
        expect(decodeJwt(exchanged)).toMatchObject({ sub: "job", act: { sub: "job" }, client_id: "gateway" });
      });

      test("is told what is wrong", async () => {
        const right = await configured(openid.ClientSecretBasic(JOB_APP.secret));
        const wrong = await configured(openid.ClientSecretPost("wrong"));
        const other = await configured(openid.ClientSecretBasic(LEDGER_APP.secret), LEDGER_APP.clientId);
        await expect(openid.clientCredentialsGrant(right, { scope: "jobs:run" })).rejects.toMatchObject({
          ...{ error: "invalid_target", error_description: expect.stringContaining("resource or audience is missing") },
        });
        await expect(openid.clientCredentialsGrant(right, { ...own, scope: "openid" })).rejects.toMatchObject({
          ...{ error: "invalid_scope", error_description: expect.stringContaining("customScopes") },
        });
        await expect(openid.clientCredentialsGrant(wrong, own)).rejects.toMatchObject({
          ...{
            error: "invalid_client",
            error_description: expect.stringContaining("accepted, as the client is registered"),
          },
        });
        await expect(openid.clientCredentialsGrant(other, own)).rejects.toMatchObject({ error: "unauthorized_client" });
      });
    });

    /** A person signs in at the identity provider without us, as they would for another client of ours there. */
    const idToken = async (login: string): Promise<string> => {
      const { client, issuer } = provider;
      const authentication = openid.ClientSecretBasic(client.secret);
      const options = { execute: [openid.allowInsecureRequests] };
      const configuration = await openid.discovery(new URL(issuer), client.id, undefined, authentication, options);
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const authorization = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: TESTER,
        scope: "openid corp",
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: "S256",
      });
      const browser = openBrowser(({ origin }) => origin === issuer);
      const { url } = await browser.press(await browser.open(authorization), "Sign in", { login });
      const tokens = await openid.authorizationCodeGrant(configuration, url, { pkceCodeVerifier });
      return tokens.id_token ?? "";
    };

    test("an ID token of the connector's provider begins a chain of its person", async () => {
      const subject = await idToken("ada");
      const type = { subject_token_type: `${TYPE}:id_token` };
      const [one, again] = [
        decodeJwt(tokenOf(await exchange(GATEWAY_APP, subject, type))),
        decodeJwt(tokenOf(await exchange(GATEWAY_APP, subject, type))),
      ];
      const { iss, client } = { iss: provider.issuer, client: provider.client.id };
      expect(one).toMatchObject({ sub: expect.stringMatching(/^user_/), act: { sub: client, iss }, aud: LEDGER });
      expect(again.sub).toBe(one.sub);
      expect(again.chain).not.toEqual(one.chain);
      expect(decodeJwt(tokenOf(await exchange(GATEWAY_APP, await idToken("grace"), type))).sub).not.toBe(one.sub);
    });

    test("a client that may not bring such tokens, a forged one, and one that is over are refused", async () => {
      const subject = await idToken("ada");
      const type = { subject_token_type: `${TYPE}:id_token` };
      const [header, , signature] = subject.split(".");
      const claims = { ...decodeJwt(subject), sub: "root" };
      const forged = [header, btoa(JSON.stringify(claims)).replaceAll("=", ""), signature].join(".");
      for (const [caller, text] of [
        [LEDGER_APP, subject],
        [GATEWAY_APP, forged],
        [GATEWAY_APP, `${subject.slice(0, -4)}AAAA`],
      ] as const) {
        expect(await exchange(caller, text, type)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
      }
    });

    test("another region's tokens are foreign", async () => {
      const answer = await answerOf(
        postForm(
          tokenEndpointOf(regions.uk),
          {
            grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
            subject_token: clientToken,
            subject_token_type: `${TYPE}:access_token`,
            audience: LEDGER,
          },
          basic(GATEWAY_APP),
        ),
      );
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    });
  });
}
