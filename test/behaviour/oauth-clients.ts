import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { RESOURCE_SERVER } from "./configuration.ts";
import { createSigner, type Owner, type Signer, setUpOwner, startAlone } from "./fixture.ts";

const REST_API = "https://rest.example/api";

/** OAuth clients that nobody here wrote: discovery, token, introspection, revocation. */
export function oauthClients(runtime: RuntimeUnderTest): void {
  describe("OAuth client libraries", () => {
    let regions: RunningRegions;
    let owner: Owner;
    let signer: Signer;

    beforeAll(async () => {
      regions = await startAlone(runtime);
      owner = await setUpOwner(regions.us);
      signer = await createSigner(owner, { scopes: ["audit:read", "books:read"], resources: [REST_API] });
    });
    afterAll(() => regions.stop());

    const openidConfiguration = (authentication: openid.ClientAuth, clientId: string) =>
      openid.discovery(new URL(regions.us.url), clientId, undefined, authentication, {
        execute: [openid.allowInsecureRequests],
      });

    test("openid-client gets a token, introspects and revokes it", async () => {
      const authentication = openid.PrivateKeyJwt(signer.key.privateKey);
      const configuration = await openidConfiguration(authentication, signer.clientId);
      const tokens = await openid.clientCredentialsGrant(configuration, { scope: "audit:read" });
      expect(tokens).toMatchObject({ token_type: "bearer", expires_in: 3600, scope: "audit:read" });

      const active = await openid.tokenIntrospection(configuration, tokens.access_token);
      expect(active).toMatchObject({ active: true, client_id: signer.clientId });
      await openid.tokenRevocation(configuration, tokens.access_token);
      expect(await openid.tokenIntrospection(configuration, tokens.access_token)).toEqual({ active: false });
    });

    test("openid-client names its key and asks for a resource", async () => {
      const { privateKey: key, fingerprint: kid } = signer.key;
      const configuration = await openidConfiguration(openid.PrivateKeyJwt({ key, kid }), signer.clientId);
      const tokens = await openid.clientCredentialsGrant(configuration, { resource: REST_API });
      expect(tokens.scope).toBe("books:read");
    });

    test("openid-client introspects as a resource server, by Basic and by post", async () => {
      const client = await openidConfiguration(openid.PrivateKeyJwt(signer.key.privateKey), signer.clientId);
      const { access_token } = await openid.clientCredentialsGrant(client);
      const { clientId, secret } = RESOURCE_SERVER;
      for (const authentication of [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)]) {
        const server = await openidConfiguration(authentication, clientId);
        expect(await openid.tokenIntrospection(server, access_token)).toMatchObject({ active: true });
      }
    });

    test("openid-client reports our refusals", async () => {
      const stranger = await createSigner(owner);
      const authentication = openid.PrivateKeyJwt(stranger.key.privateKey);
      const configuration = await openidConfiguration(authentication, signer.clientId);
      await expect(openid.clientCredentialsGrant(configuration)).rejects.toMatchObject({
        error: "invalid_client",
        error_description: "invalid JWT signature",
        status: 400,
      });
    });

    test("oauth4webapi gets a token, by either discovery document", async () => {
      const insecure = { [oauth.allowInsecureRequests]: true };
      for (const algorithm of ["oidc", "oauth2"] as const) {
        const issuer = new URL(regions.us.url);
        const found = await oauth.discoveryRequest(issuer, { algorithm, ...insecure });
        const server = await oauth.processDiscoveryResponse(issuer, found);
        const client: oauth.Client = { client_id: signer.clientId };
        const response = await oauth.clientCredentialsGrantRequest(
          server,
          client,
          oauth.PrivateKeyJwt(signer.key.privateKey),
          new URLSearchParams(),
          insecure,
        );
        const tokens = await oauth.processClientCredentialsResponse(server, client, response);
        expect(tokens.access_token).toMatch(/^cst_us_/);
      }
    });
  });
}
