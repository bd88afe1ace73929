import { exportJWK, exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { connectorClientAuthentication } from "../../lib/connectors/provider-requests.ts";

const SERVER = { issuer: "https://idp.example" };
const CLIENT = { client_id: "the-gateway" };

/** What a request to the token endpoint has for it. */
async function sent(settings: Parameters<typeof connectorClientAuthentication>[0]) {
  const [body, headers] = [new URLSearchParams(), new Headers()];
  const authenticate = await connectorClientAuthentication(settings);
  await authenticate(SERVER, CLIENT, body, headers);
  return { form: Object.fromEntries(body), authorization: headers.get("authorization") };
}

describe("authenticating at a connector", () => {
  test("by client_secret_basic encodes both halves", async () => {
    const { form, authorization } = await sent({ clientAuthentication: "client_secret_basic", clientSecret: "a:b c" });
    expect(form).toEqual({});
    expect(authorization).toBe(`Basic ${btoa("the%2Dgateway:a%3Ab+c")}`);
  });

  test("by client_secret_post puts both into the form", async () => {
    const { form, authorization } = await sent({ clientAuthentication: "client_secret_post", clientSecret: "a" });
    expect(form).toEqual({ client_id: "the-gateway", client_secret: "a" });
    expect(authorization).toBeNull();
  });

  test("without a secret names the client alone", async () => {
    expect((await sent({ clientAuthentication: "client_secret_basic" })).form).toEqual({ client_id: "the-gateway" });
  });

  test.each([
    ["ES256", "PEM"],
    ["RS256", "PEM"],
    ["ES256", "JWK"],
    ["RS256", "JWK"],
  ])("by private_key_jwt signs an assertion, %s with a key as %s", async (algorithm, form) => {
    const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), kid: "key-1" };
    const given = form === "PEM" ? await exportPKCS8(privateKey) : jwk;
    const { form: body } = await sent({ clientAuthentication: "private_key_jwt", privateKey: given });
    const options = { audience: SERVER.issuer, issuer: "the-gateway", subject: "the-gateway" };
    const { protectedHeader } = await jwtVerify(body.client_assertion ?? "", publicKey, options);
    expect(protectedHeader.alg).toBe(algorithm);
    expect(protectedHeader.kid).toBe(form === "JWK" ? "key-1" : undefined);
  });

  test("refuses a key that is none", async () => {
    const settings = { clientAuthentication: "private_key_jwt", privateKey: "not a key" } as const;
    await expect(sent(settings)).rejects.toThrow();
  });
});
