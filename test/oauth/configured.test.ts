import { afterEach, describe, expect, test } from "vitest";
import type { OidcProviderConfiguration } from "../../lib/config/configuration.ts";
import { assertionNow, sendAssertion, sendForm, signerOf } from "../security/in-process-client.ts";
import { type InProcess, ISSUER, PROVIDER, startInProcess } from "../support/in-process.ts";

describe("what the configuration changes", () => {
  let product: InProcess;

  const start = async (changes: Partial<OidcProviderConfiguration>) => {
    product = await startInProcess({ configuration: { oidcProvider: { ...PROVIDER, ...changes } } });
  };
  const metadata = async () => (await product.send("/.well-known/openid-configuration")).json();
  afterEach(() => product.close());

  test.each([
    ["issuer", ISSUER, `${ISSUER}/oauth2/token`],
    ["tokenEndpoint", `${ISSUER}/oauth2/token`, ISSUER],
  ] as const)("assertion.audience %s narrows the accepted audience", async (audience, accepted, refused) => {
    await start({ assertion: { ...PROVIDER.assertion, audience } });
    const signer = await signerOf(await product.createClient());
    const answer = async (aud: string) =>
      sendAssertion(product, await assertionNow(product, signer, { claims: { aud } }));
    expect((await answer(accepted)).status).toBe(200);
    expect((await answer(refused)).body).toMatchObject({ error_description: "invalid JWT audience" });
  });

  test("apiClients.enabled false turns the grant off, and discovery says so", async () => {
    await start({ apiClients: { ...PROVIDER.apiClients, enabled: false } });
    const { body } = await sendForm(product, "/oauth2/token", { grant_type: "client_credentials" });
    expect(body).toEqual({ error: "unsupported_grant_type" });
    expect(await metadata()).toMatchObject({ grant_types_supported: [] });
  });

  test("the access token lifetime is what expires_in says and introspection keeps", async () => {
    await start({ apiClients: { ...PROVIDER.apiClients, accessTokenLifetime: 90_000 } });
    const signer = await signerOf(await product.createClient());
    const { body } = await sendAssertion(product, await assertionNow(product, signer));
    const { access_token, expires_in } = body as { access_token: string; expires_in: number };
    expect(expires_in).toBe(90);
    const active = async () => {
      const assertion = await assertionNow(product, signer);
      const form = { token: access_token, client_assertion: assertion, client_assertion_type: JWT_BEARER };
      return (await sendForm(product, "/oauth2/introspect", form)).body;
    };
    product.clock.set(product.clock.now() + 89_999);
    expect(await active()).toMatchObject({ active: true });
    product.clock.set(product.clock.now() + 1);
    expect(await active()).toEqual({ active: false });
  });

  test("moved endpoints move in discovery, in routing and as audience", async () => {
    const token = `${ISSUER}/elsewhere/token`;
    await start({ endpoints: { ...PROVIDER.endpoints, token } });
    expect(await metadata()).toMatchObject({ token_endpoint: token });
    const signer = await signerOf(await product.createClient());
    const assertion = await assertionNow(product, signer, { claims: { aud: token } });
    const form = { grant_type: "client_credentials", client_assertion: assertion, client_assertion_type: JWT_BEARER };
    expect((await sendForm(product, "/oauth2/token", form)).status).toBe(404);
    expect((await sendForm(product, "/elsewhere/token", form)).status).toBe(200);
  });

  test("an issuer with a path has all its endpoints below it, the authorization endpoint too", async () => {
    const issuer = `${ISSUER}/us`;
    const below = Object.entries(PROVIDER.endpoints).map(([name, url]) => [name, url.replace(ISSUER, issuer)]);
    await start({ issuer, endpoints: Object.fromEntries(below) });
    for (const path of ["/us/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/us"]) {
      expect(await (await product.send(path)).json()).toMatchObject({
        issuer,
        authorization_endpoint: `${issuer}/oauth2/authorize`,
        token_endpoint: `${issuer}/oauth2/token`,
      });
    }
    const response = await product.send("/us/oauth2/authorize?response_type=code");
    expect(await response.json()).toEqual({ error: "unsupported_response_type" });
    expect((await product.send("/oauth2/authorize")).status).toBe(404);
  });

  test("configured public keys are the key set", async () => {
    const publicKeys = [{ kty: "EC", crv: "P-256", kid: "k", x: "x", y: "y" }];
    await start({ publicKeys });
    expect(await (await product.send("/oauth2/jwks")).json()).toEqual({ keys: publicKeys });
  });
});

const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
