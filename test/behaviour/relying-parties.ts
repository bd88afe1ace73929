import { createRemoteJWKSet, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codesAndRefreshTokens } from "../security/13-over-http.ts";
import { claimsOf, type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { openBrowser } from "../support/person.ts";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { NO_UPSTREAM } from "./fixture.ts";
import {
  AGENT,
  CALLBACK,
  GATEWAY_APP,
  LEDGER,
  peopleConfiguration,
  providerVariables,
} from "./people-configuration.ts";

/** Relying parties that nobody here wrote, with every check that they have, and a person at a real identity provider. */
export function relyingParties(runtime: RuntimeUnderTest): void {
  describe("relying parties", () => {
    let regions: RunningRegions;
    let provider: IdentityProvider;
    beforeAll(async () => {
      provider = await startIdentityProvider();
      const variables = { UPSTREAM_URL: NO_UPSTREAM, ...providerVariables(provider) };
      regions = await runtime.start({ configuration: peopleConfiguration, variables, alone: true });
      await provider.register([`${regions.us.url}/oauth2/callback`]);
    });
    afterAll(async () => {
      await regions.stop();
      await provider.stop();
    });

    /** The address that the person's browser is sent back to. */
    const signIn = async (authorization: URL, login = "ada"): Promise<URL> => {
      const browser = openBrowser(({ origin }) => origin === regions.us.url || origin === provider.issuer);
      const page = await browser.open(authorization);
      const { url } = await browser.press(page, "Sign in", { login });
      expect(url.href).toContain(CALLBACK);
      return url;
    };

    const discovered = async ({ clientId, secret }: { readonly clientId: string; readonly secret: string }) => {
      const configuration = await openid.discovery(
        new URL(regions.us.url),
        clientId,
        undefined,
        openid.ClientSecretBasic(secret),
        { execute: [openid.allowInsecureRequests] },
      );
      openid.enableNonRepudiationChecks(configuration);
      return configuration;
    };

    const signedIn = async (configuration: openid.Configuration, more: Readonly<Record<string, string>> = {}) => {
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
      const authorization = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: CALLBACK,
        scope: "openid profile email tools:read",
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: "S256",
        state: expectedState,
        nonce: expectedNonce,
        max_age: "300",
        ...more,
      });
      const checks = { pkceCodeVerifier, expectedState, expectedNonce, maxAge: 300, idTokenExpected: true };
      return openid.authorizationCodeGrant(configuration, await signIn(authorization), checks);
    };

    codesAndRefreshTokens({
      get us() {
        return regions.us;
      },
      client: AGENT,
      newCode: async () => {
        const code_verifier = openid.randomPKCECodeVerifier();
        const authorization = openid.buildAuthorizationUrl(await discovered(AGENT), {
          redirect_uri: CALLBACK,
          scope: "openid tools:read",
          code_challenge: await openid.calculatePKCECodeChallenge(code_verifier),
          code_challenge_method: "S256",
        });
        const { searchParams } = await signIn(authorization);
        return { code: searchParams.get("code") ?? "", redirect_uri: CALLBACK, code_verifier };
      },
    });

    test("openid-client signs a person in, asks who it is, refreshes and revokes", async () => {
      const configuration = await discovered(AGENT);
      const tokens = await signedIn(configuration);
      expect(tokens).toMatchObject({ token_type: "bearer", scope: "openid profile email tools:read" });
      const claims = tokens.claims();
      const { sub: _, ...known } = claimsOf("ada");
      expect(claims).toMatchObject({ iss: regions.us.url, aud: AGENT.clientId, amr: ["pwd"], ...known });
      const person = await openid.fetchUserInfo(configuration, tokens.access_token, claims?.sub ?? "");
      expect(person).toEqual({ sub: claims?.sub, ...known });

      const refreshed = await openid.refreshTokenGrant(configuration, tokens.refresh_token ?? "");
      expect(refreshed.claims()?.sub).toBe(claims?.sub);
      expect(refreshed.claims()?.auth_time).toBe(claims?.auth_time);
      await openid.tokenRevocation(configuration, refreshed.refresh_token ?? "");
      for (const { access_token } of [tokens, refreshed]) {
        await expect(openid.fetchUserInfo(configuration, access_token, claims?.sub ?? "")).rejects.toThrow();
      }
    });

    test("openid-client sees a code that comes twice as refused, with what it brought", async () => {
      const configuration = await discovered(AGENT);
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const authorization = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: CALLBACK,
        scope: "openid",
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: "S256",
      });
      const answer = await signIn(authorization);
      const first = await openid.authorizationCodeGrant(configuration, answer, { pkceCodeVerifier });
      const again = openid.authorizationCodeGrant(configuration, answer, { pkceCodeVerifier });
      await expect(again).rejects.toMatchObject({ error: "invalid_grant", status: 400 });
      const sub = first.claims()?.sub ?? "";
      await expect(openid.fetchUserInfo(configuration, first.access_token, sub)).rejects.toThrow();
    });

    test("openid-client exchanges the agent's token, and jose verifies the new one by the published keys", async () => {
      const { access_token } = await signedIn(await discovered(AGENT));
      const gateway = await discovered(GATEWAY_APP);
      const exchanged = await openid.genericGrantRequest(gateway, "urn:ietf:params:oauth:grant-type:token-exchange", {
        subject_token: access_token,
        subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
        audience: LEDGER,
        scope: "ledger:read",
        requested_expires_in: "60",
      });
      expect(exchanged).toMatchObject({ expires_in: 60, scope: "ledger:read" });
      const keys = createRemoteJWKSet(new URL(gateway.serverMetadata().jwks_uri ?? ""));
      const { payload } = await jwtVerify(exchanged.access_token, keys, {
        issuer: regions.us.url,
        audience: LEDGER,
        typ: "at+jwt",
        requiredClaims: ["client_id", "jti", "iat", "exp", "sub"],
      });
      expect(payload).toMatchObject({ act: { sub: "agent" }, client_id: "gateway", department: "accounting" });
    });

    test("oauth4webapi checks state, iss, nonce, signature and RFC 9068", async () => {
      const insecure = { [oauth.allowInsecureRequests]: true };
      const issuer = new URL(regions.us.url);
      const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
      const client: oauth.Client = { client_id: AGENT.clientId };
      const [verifier, state, nonce] = [
        oauth.generateRandomCodeVerifier(),
        oauth.generateRandomState(),
        oauth.generateRandomNonce(),
      ];
      const authorization = new URL(server.authorization_endpoint ?? "");
      authorization.search = new URLSearchParams({
        client_id: AGENT.clientId,
        redirect_uri: CALLBACK,
        response_type: "code",
        scope: "openid tools:read",
        resource: `${regions.us.url}/mcp`,
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      }).toString();
      const parameters = oauth.validateAuthResponse(server, client, await signIn(authorization, "grace"), state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.ClientSecretPost(AGENT.secret),
        parameters,
        CALLBACK,
        verifier,
        insecure,
      );
      const options = { expectedNonce: nonce, requireIdToken: true };
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, options);
      await oauth.validateApplicationLevelSignature(server, response, insecure);
      expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ aud: AGENT.clientId, nonce });

      const request = new Request(`${regions.us.url}/mcp`, {
        headers: { Authorization: `Bearer ${tokens.access_token}` },
      });
      const claims = await oauth.validateJwtAccessToken(server, request, `${regions.us.url}/mcp`, insecure);
      expect(claims).toMatchObject({ client_id: AGENT.clientId, scope: "openid tools:read" });
    });
  });
}
