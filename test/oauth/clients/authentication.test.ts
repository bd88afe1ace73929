import { type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { authenticateOAuthClient } from "../../../lib/authorization-server/client-authentication.ts";
import type { ClientRequest } from "../../../lib/authorization-server/client-request.ts";
import { registerClient } from "../../../lib/authorization-server/clients/register-client.ts";
import { parseForm } from "../../../lib/authorization-server/form.ts";
import { assertionParameters, basic, type Parameters as Form } from "../../behaviour/fixture.ts";
import { sendForm } from "../../security/in-process-client.ts";
import { counted } from "../../support/counted.ts";
import { ISSUER } from "../../support/in-process.ts";
import { APP, newKey, type Started, startForClients } from "./started.ts";

const [SECRET = "", OTHER_SECRET = ""] = APP.secrets;
type Key = Awaited<ReturnType<typeof newKey>>;

let product: Started;
let key: Key;
let otherKey: Key;
beforeAll(async () => {
  [key, otherKey] = await Promise.all([newKey(), newKey()]);
  const jwks = [
    { ...otherKey.jwk, kid: "other" },
    { kty: "RSA", n: "x", e: "AQAB" },
    { ...key.jwk, kid: "mine" },
  ];
  product = await startForClients([
    APP,
    { ...APP, clientID: "signing-app", secrets: [], jwks },
    { ...APP, clientID: "other-signing-app", secrets: [], jwks },
    { ...APP, clientID: "public-app", secrets: [], isPublic: true },
  ]);
});
afterAll(() => product.close());
beforeEach(() => product.clock.set(product.clock.now() + 60_000));

/** A request to the token endpoint, and whom it turned out to be from. */
const request = (form: Form, authorization?: string): ClientRequest & { readonly seen: string[] } => {
  const seen: string[] = [];
  return {
    form: parseForm(new URLSearchParams(form).toString()),
    authorization,
    source: "203.0.113.1",
    requestId: "request",
    authenticated: (caller) => seen.push(caller),
    waitUntil: () => undefined,
    seen,
  };
};
const authenticate = (form: Form, authorization?: string) =>
  authenticateOAuthClient(request(form, authorization), product.dependencies);
const bySecret = (clientId: string, secret: string) => basic({ clientId, secret }).Authorization;
const assertion = (
  clientId: string,
  privateKey: CryptoKey,
  { claims = {}, header = {} }: { readonly claims?: JWTPayload; readonly header?: Partial<JWTHeaderParameters> } = {},
): Promise<string> => {
  const now = Math.floor(product.clock.now() / 1000);
  const payload = { iss: clientId, sub: clientId, aud: ISSUER, iat: now, exp: now + 60, jti: crypto.randomUUID() };
  return new SignJWT({ ...payload, ...claims }).setProtectedHeader({ alg: "ES256", ...header }).sign(privateKey);
};
const byAssertion = async (...parameters: Parameters<typeof assertion>) =>
  authenticate(assertionParameters(await assertion(...parameters)));

const REFUSED = { code: "invalid_client", status: 400, description: "invalid client" };
const DESCRIPTION = expect.stringContaining(
  "this is not its authentication; accepted, as the client is registered: its secret",
);
const UNKNOWN = { code: "invalid_client", status: 400, description: DESCRIPTION };
const UNSIGNED = { code: "invalid_client", status: 400, description: "invalid JWT signature" };

describe("a client with a secret", () => {
  test.each([SECRET, OTHER_SECRET])("authenticates by any of its secrets, by Basic and in the form", async (secret) => {
    expect((await authenticate({}, bySecret("app", secret))).clientId).toBe("app");
    expect((await authenticate({ client_id: "app", client_secret: secret })).clientId).toBe("app");
    const named = request({ client_id: "app" }, bySecret("app", secret));
    await authenticateOAuthClient(named, product.dependencies);
    expect(named.seen).toEqual(["app"]);
  });

  test("a wrong secret is 401 with a challenge by Basic, and 400 in the form", async () => {
    for (const [clientId, secret] of [
      ["app", "wrong"],
      ["unknown", SECRET],
      ["public-app", "x"],
      ["signing-app", "x"],
    ] as const) {
      await expect(authenticate({}, bySecret(clientId, secret))).rejects.toMatchObject({
        ...{
          code: "invalid_client",
          status: 401,
          description: DESCRIPTION,
          challenge: expect.stringContaining("Basic"),
        },
      });
      await expect(authenticate({ client_id: clientId, client_secret: secret })).rejects.toMatchObject(UNKNOWN);
    }
  });

  test("without any authentication it is refused, and so is a client id beside another's credentials", async () => {
    await expect(authenticate({ client_id: "app" })).rejects.toMatchObject(UNKNOWN);
    await expect(authenticate({ client_id: "signing-app" })).rejects.toMatchObject(UNKNOWN);
    const mixed = authenticate({ client_id: "public-app" }, bySecret("app", SECRET));
    await expect(mixed).rejects.toMatchObject({ code: "invalid_request" });
    const twice = authenticate({ client_id: "app", client_secret: SECRET }, bySecret("app", SECRET));
    const description = expect.stringContaining("authenticate in one way; accepted");
    for (const refused of [twice, authenticate({})]) {
      await expect(refused).rejects.toMatchObject({ code: "invalid_request", description });
    }
  });

  test("20. an unknown client costs the same reads and a comparison as a known one", async () => {
    const calls = { names: [] as string[] };
    const dependencies = counted(product.dependencies, calls);
    const work = async (clientId: string) => {
      calls.names.length = 0;
      const refused = authenticateOAuthClient(request({}, bySecret(clientId, "wrong")), dependencies);
      await expect(refused).rejects.toThrow();
      return [...calls.names];
    };
    expect(await work("app")).toEqual(await work("nobody"));
    const registered = await registerClient({ redirect_uris: ["https://agent.example/cb"] }, "r", product.dependencies);
    expect(await work(registered.client_id)).toEqual(await work(`agent_${crypto.randomUUID()}`));
  });

  test("21. a secret never makes us fetch anything", async () => {
    const before = product.server.connections();
    const document = "https://agent.example/client";
    await expect(authenticate({}, bySecret(document, "x"))).rejects.toMatchObject({ status: 401 });
    await expect(authenticate({ client_id: document, client_secret: "x" })).rejects.toMatchObject(UNKNOWN);
    expect(product.server.connections()).toBe(before);
  });
});

describe("a client with nothing to authenticate with", () => {
  test("passes by its client id, and is not taken for authenticated", async () => {
    const named = request({ client_id: "public-app" });
    expect((await authenticateOAuthClient(named, product.dependencies)).clientId).toBe("public-app");
    expect(named.seen).toEqual([]);
  });

  test("has to name itself, and to be known", async () => {
    await expect(authenticate({})).rejects.toMatchObject({ code: "invalid_request" });
    for (const id of ["unknown", `agent_${crypto.randomUUID()}`, "https://agent.example/absent"]) {
      await expect(authenticate({ client_id: id })).rejects.toMatchObject(UNKNOWN);
    }
  });

  test("9. two ways to authenticate in one request are refused", async () => {
    const signed = assertionParameters(await assertion("signing-app", key.privateKey));
    const attempts: [Form, string?][] = [
      [{ ...signed, client_secret: "x" }],
      [signed, bySecret("app", SECRET)],
      [{ client_id: "app", client_secret: SECRET }, bySecret("app", SECRET)],
      [{ client_assertion: "x" }, bySecret("app", SECRET)],
    ];
    for (const [form, authorization] of attempts) {
      await expect(authenticate(form, authorization)).rejects.toMatchObject({ code: "invalid_request" });
    }
  });
});

describe("a client with keys", () => {
  test("an app authenticates by any of its keys, named or not", async () => {
    expect((await byAssertion("signing-app", key.privateKey)).clientId).toBe("signing-app");
    expect((await byAssertion("signing-app", otherKey.privateKey, { header: { kid: "other" } })).clientId).toBe(
      "signing-app",
    );
    expect((await byAssertion("other-signing-app", key.privateKey, { header: { kid: "mine" } })).clientId).toBe(
      "other-signing-app",
    );
  });

  test("a registered client authenticates by its key or secret", async () => {
    const { jwk, privateKey } = await newKey();
    const redirect_uris = ["https://agent.example/cb"];
    const signing = { redirect_uris, token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [jwk] } };
    const { client_id: signer } = await registerClient(signing, "r", product.dependencies);
    expect((await byAssertion(signer, privateKey)).clientId).toBe(signer);
    await expect(byAssertion(signer, key.privateKey)).rejects.toMatchObject(UNSIGNED);
    await expect(authenticate({ client_id: signer })).rejects.toMatchObject(UNKNOWN);
    const { client_id, client_secret = "" } = await registerClient({ redirect_uris }, "r", product.dependencies);
    expect((await authenticate({}, bySecret(client_id, client_secret))).clientId).toBe(client_id);
    await expect(authenticate({}, bySecret(signer, client_secret))).rejects.toMatchObject({ status: 401 });
    await expect(authenticate({}, bySecret(client_id, `${client_secret}x`))).rejects.toMatchObject({ status: 401 });
  });

  test("a client with a document authenticates by the keys at the address that it names, also after it changed them", async () => {
    const url = "https://agent.example/signing";
    const keysURL = "https://agent.example/signing-keys";
    const document = { client_id: url, redirect_uris: ["https://agent.example/cb"], jwks_uri: keysURL };
    product.server.serve(url, { ...document, token_endpoint_auth_method: "private_key_jwt" });
    product.server.serve(keysURL, { keys: [key.jwk] });
    expect((await byAssertion(url, key.privateKey)).clientId).toBe(url);
    product.server.serve(keysURL, { keys: [otherKey.jwk] });
    product.clock.set(product.clock.now() + 300_000);
    expect((await byAssertion(url, otherKey.privateKey)).clientId).toBe(url);
    await expect(byAssertion(url, key.privateKey)).rejects.toMatchObject(UNSIGNED);
    await expect(authenticate({ client_id: url })).rejects.toMatchObject(UNKNOWN);
  });

  test("5. an assertion with a jti counts once, and that of another client is another", async () => {
    const claims = { jti: "the-same" };
    const used = assertionParameters(await assertion("signing-app", key.privateKey, { claims }));
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => authenticate(used)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(authenticate(used)).rejects.toMatchObject({ description: "replayed JWT" });
    expect((await byAssertion("other-signing-app", key.privateKey, { claims })).clientId).toBe("other-signing-app");
  });

  test.each<[string, JWTPayload, string]>([
    ["audience of another", { aud: "https://uk.example" }, "invalid JWT audience"],
    ["audience in a list", { aud: [ISSUER] }, "invalid JWT audience"],
    ["issuer that is another", { iss: "app" }, "invalid JWT claims"],
    ["expiry that is over", { exp: 1 }, "expired JWT"],
    ["expiry far ahead", { exp: 9_999_999_999 }, "invalid JWT claims"],
    ["expiry that is missing", { exp: undefined }, "invalid JWT claims"],
    ["time that has not come", { nbf: 9_999_999_999 }, "invalid JWT claims"],
    ["jti that is empty", { jti: "" }, "invalid JWT claims"],
  ])("an assertion is refused for its %s", async (_, claims, description) => {
    await expect(byAssertion("signing-app", key.privateKey, { claims })).rejects.toMatchObject({
      description,
      status: 400,
    });
  });

  test("2. only ES256 is accepted, with no key that the sender brings along", async () => {
    for (const algorithm of ["RS256", "PS256", "ES384", "EdDSA"]) {
      const { privateKey } = await newKey(algorithm);
      await expect(byAssertion("signing-app", privateKey, { header: { alg: algorithm } })).rejects.toMatchObject(
        UNSIGNED,
      );
    }
    const stranger = await newKey();
    for (const header of [
      { jwk: stranger.jwk },
      { jku: "https://agent.example/keys" },
      { x5u: "https://agent.example/x" },
    ]) {
      await expect(byAssertion("signing-app", stranger.privateKey, { header })).rejects.toMatchObject(UNSIGNED);
    }
    await expect(byAssertion("signing-app", key.privateKey, { header: { kid: "other" } })).rejects.toMatchObject(
      UNSIGNED,
    );
    await expect(byAssertion("signing-app", stranger.privateKey)).rejects.toMatchObject(UNSIGNED);
    await expect(byAssertion("app", key.privateKey)).rejects.toMatchObject(REFUSED);
    await expect(byAssertion("public-app", key.privateKey)).rejects.toMatchObject(REFUSED);
    await expect(byAssertion("unknown", key.privateKey)).rejects.toMatchObject(REFUSED);
  });

  test("3. client_id beside an assertion is that of the assertion", async () => {
    const signed = assertionParameters(await assertion("signing-app", key.privateKey));
    await expect(authenticate({ ...signed, client_id: "app" })).rejects.toMatchObject(REFUSED);
    expect((await authenticate({ ...signed, client_id: "signing-app" })).clientId).toBe("signing-app");
  });

  test.each(["at+jwt", "application/at+jwt", "id+jwt", "dpop+jwt", "logout+jwt", "token-introspection+jwt"])(
    "6. a JWT of typ %s is no client assertion, although the client signed it",
    async (typ) => {
      const refused = byAssertion("signing-app", key.privateKey, { header: { typ } });
      await expect(refused).rejects.toMatchObject({ description: "invalid JWT claims" });
    },
  );

  test("6. an access token or ID token of ours is no client assertion, whomever it names", async () => {
    const now = Math.floor(product.clock.now() / 1000);
    const claims = { iss: ISSUER, sub: "signing-app", aud: ISSUER, iat: now, exp: now + 60 };
    for (const typ of ["at+jwt", "JWT"] as const) {
      for (const iss of [ISSUER, "signing-app"]) {
        const token = await product.dependencies.keyRing.sign({ ...claims, iss }, typ);
        await expect(authenticate(assertionParameters(token))).rejects.toMatchObject(UNSIGNED);
      }
    }
  });
});

describe("revocation and introspection", () => {
  const post = (path: string, form: Form) => sendForm(product, path, { token: "unknown", ...form });

  test("a public client may ask for the end of a token, and never what it is", async () => {
    expect(await post("/oauth2/revoke", { client_id: "public-app" })).toMatchObject({ status: 200 });
    expect(await post("/oauth2/introspect", { client_id: "public-app" })).toMatchObject({ status: 401 });
    expect(await post("/oauth2/revoke", { client_id: "app" })).toMatchObject({ status: 401 });
    expect(await post("/oauth2/revoke", { client_id: "unknown" })).toMatchObject({ status: 401 });
  });

  test("an app with keys introspects by assertion", async () => {
    const signed = assertionParameters(await assertion("signing-app", key.privateKey));
    expect(await post("/oauth2/introspect", signed)).toMatchObject({ status: 200, body: { active: false } });
    expect(await post("/oauth2/introspect", signed)).toMatchObject({ status: 400, body: { error: "invalid_client" } });
  });
});
