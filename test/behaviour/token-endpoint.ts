import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { RESOURCE_SERVER } from "./configuration.ts";
import {
  type AssertionOverrides,
  addKey,
  answerOf,
  basic,
  createClient,
  createSigner,
  encodeJson,
  expectJson,
  issueToken,
  manage,
  type Owner,
  type Parameters,
  postForm,
  requestToken,
  type Signer,
  secondsFromNow,
  setUpOwner,
  signAssertion,
  startRegions,
  tokenEndpointOf,
  tokenParameters,
} from "./fixture.ts";

const REST_API = "https://rest.example/api";

/** The token endpoint as the specification describes it, D5 to D10. */
export function tokenEndpoint(runtime: RuntimeUnderTest): void {
  describe("token endpoint", () => {
    let regions: RunningRegions;
    let owner: Owner;
    let signer: Signer;

    beforeAll(async () => {
      regions = await startRegions(runtime);
      owner = await setUpOwner(regions.us);
      signer = await createSigner(owner, {
        scopes: ["audit:read", "tools:read", "books:read", "books:write"],
        resources: [REST_API],
      });
    });
    afterAll(() => regions.stop());

    const request = (overrides?: AssertionOverrides & { readonly parameters?: Parameters }) =>
      answerOf(requestToken(regions.us, signer, overrides));
    const refused = (description: string) => ({ error: "invalid_client", error_description: description });

    describe("answers a correct request", () => {
      test("with an opaque bearer token and its lifetime in seconds", async () => {
        const { status, body, headers } = await request();
        expect(status).toBe(200);
        expect(body).toEqual({
          access_token: expect.stringMatching(/^cst_us_[0-9a-f]{2}[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/),
          token_type: "Bearer",
          expires_in: 3600,
          scope: "audit:read tools:read",
        });
        expect(headers.get("Content-Type")).toMatch(/^application\/json/);
        expect(headers.get("Cache-Control")).toBe("no-store");
        expect(headers.get("Pragma")).toBe("no-cache");
      });

      test("with a token that the management API accepts", async () => {
        const token = await issueToken(regions.us, signer);
        const response = await fetch(`${regions.us.url}/api/v1/audit-events?limit=1`, {
          headers: { Authorization: `Bearer ${token}` },
        });
        expect(response.status).toBe(200);
        await response.body?.cancel();
      });

      test("whose audience is the issuer", async () => {
        expect((await request({ claims: { aud: regions.us.url } })).status).toBe(200);
      });

      test("without iat, jti and typ", async () => {
        const overrides = { claims: { iat: undefined, jti: undefined }, header: { typ: undefined } };
        expect((await request(overrides)).status).toBe(200);
      });

      test("without jti, again and again", async () => {
        const form = tokenParameters(await signAssertion(signer, regions.us, { claims: { jti: undefined } }));
        expect((await postForm(tokenEndpointOf(regions.us), form)).status).toBe(200);
        expect((await postForm(tokenEndpointOf(regions.us), form)).status).toBe(200);
      });

      test.each(["JWT", "client-authentication+jwt", "application/jwt"])("of typ %s", async (typ) => {
        expect((await request({ header: { typ } })).status).toBe(200);
      });

      test("with the key's fingerprint as kid", async () => {
        expect((await request({ header: { kid: signer.key.fingerprint } })).status).toBe(200);
      });

      test("with client_id equal to sub, and with unknown parameters", async () => {
        expect((await request({ parameters: { client_id: signer.clientId, extra: "1" } })).status).toBe(200);
      });

      test("with optional parameters left empty", async () => {
        expect((await request({ parameters: { scope: "", resource: "" } })).status).toBe(200);
      });
    });

    describe("narrows the token", () => {
      test("to the asked scopes that are granted at the management API", async () => {
        const { body } = await request({ parameters: { scope: "tools:read books:read sessions:read" } });
        expect(body).toMatchObject({ scope: "tools:read" });
      });

      test("to an allowed resource with its tool scopes", async () => {
        const { body } = await request({ parameters: { resource: REST_API } });
        expect(body).toMatchObject({ scope: "books:read books:write" });
      });

      test("to the management API when it is the resource", async () => {
        const { body } = await request({ parameters: { resource: `${regions.us.url}/api/v1` } });
        expect(body).toMatchObject({ scope: "audit:read tools:read" });
      });

      test("and leaves scope out when the client has none", async () => {
        const plain = await createSigner(owner);
        const { status, body } = await answerOf(requestToken(regions.us, plain));
        expect(status).toBe(200);
        expect(body).not.toHaveProperty("scope");
      });

      test.each([
        ["scopes of which none is granted", { scope: "sessions:write" }, "invalid_scope"],
        ["tool scopes at the management API", { scope: "books:read" }, "invalid_scope"],
        ["management permissions at a resource", { scope: "audit:read", resource: REST_API }, "invalid_scope"],
        ["the beginning of a scope that is granted", { scope: "audit" }, "invalid_scope"],
        ["a malformed scope", { scope: 'a"b' }, "invalid_scope"],
        ["a resource that the client may not ask for", { resource: "https://other.example/" }, "invalid_target"],
        ["a resource that differs by a slash", { resource: `${REST_API}/` }, "invalid_target"],
      ])("and refuses %s", async (_, parameters, error) => {
        const { status, body } = await request({ parameters });
        expect({ status, body }).toEqual({ status: 400, body: { error } });
      });
    });

    describe("refuses an assertion", () => {
      const stranger = "client_01234567-89ab-8def-8123-456789abcdef";
      const refusals: [string, AssertionOverrides, string][] = [
        ["whose sub is unknown", { claims: { iss: stranger, sub: stranger } }, "invalid client"],
        ["without sub", { claims: { sub: undefined } }, "invalid client"],
        ["whose sub is a number", { claims: { sub: 1 } }, "invalid client"],
        ["whose iss differs from sub", { claims: { iss: stranger } }, "invalid JWT claims"],
        ["whose aud is another URL", { claims: { aud: "https://elsewhere.example" } }, "invalid JWT audience"],
        ["without aud", { claims: { aud: undefined } }, "invalid JWT audience"],
        ["that expired", { claims: { exp: secondsFromNow(-5) } }, "expired JWT"],
        ["without exp", { claims: { exp: undefined } }, "invalid JWT claims"],
        ["whose exp is text", { claims: { exp: `${secondsFromNow(60)}` } }, "invalid JWT claims"],
        ["that lives too long", { claims: { exp: secondsFromNow(3600 + 120) } }, "invalid JWT claims"],
        ["that is not valid yet", { claims: { nbf: secondsFromNow(120) } }, "invalid JWT claims"],
        ["issued in the future", { claims: { iat: secondsFromNow(120) } }, "invalid JWT claims"],
        ["whose jti is empty", { claims: { jti: "" } }, "invalid JWT claims"],
        ["with another alg", { header: { alg: "ES384" } }, "invalid JWT signature"],
        ["with crit", { header: { crit: ["b64"], b64: false } }, "invalid JWT signature"],
        ["with an unknown kid", { header: { kid: "unknown" } }, "invalid JWT signature"],
        ["of another type", { header: { typ: "at+jwt" } }, "invalid JWT claims"],
      ];
      test.each(refusals)("%s", async (_, overrides, description) => {
        const { status, body, headers } = await request(overrides);
        expect({ status, body }).toEqual({ status: 400, body: refused(description) });
        expect(headers.get("Cache-Control")).toBe("no-store");
      });

      test.each([
        ["is text", "nonsense"],
        ["has two segments", `${encodeJson({})}.${encodeJson({})}`],
        ["has four segments", `${encodeJson({})}.${encodeJson({})}.AA.AA`],
        ["has a header that is no object", `${encodeJson([])}.${encodeJson({})}.AA`],
        ["has a payload that is no JSON", `${encodeJson({})}.AAAA.AA`],
      ])("that %s: it cannot be parsed", async (_, assertion) => {
        const { status, body } = await answerOf(postForm(tokenEndpointOf(regions.us), tokenParameters(assertion)));
        expect({ status, body }).toEqual({ status: 400, body: refused("failed to parse JWT") });
      });

      test("signed with a key that the client does not have", async () => {
        const other = await createSigner(owner);
        const { status, body } = await answerOf(requestToken(regions.us, { ...signer, key: other.key }));
        expect({ status, body }).toEqual({ status: 400, body: refused("invalid JWT signature") });
      });

      test("that was used before", async () => {
        const form = tokenParameters(await signAssertion(signer, regions.us));
        await postForm(tokenEndpointOf(regions.us), form);
        const { status, body } = await answerOf(postForm(tokenEndpointOf(regions.us), form));
        expect({ status, body }).toEqual({ status: 400, body: refused("replayed JWT") });
      });

      test("of a client of the other region: there it does not exist", async () => {
        const { status, body } = await answerOf(requestToken(regions.uk, signer));
        expect({ status, body }).toEqual({ status: 400, body: refused("invalid client") });
      });
    });

    describe("refuses a form", () => {
      const endpoint = () => tokenEndpointOf(regions.us);
      const form = async () => tokenParameters(await signAssertion(signer, regions.us));

      test.each(["grant_type", "client_assertion_type", "client_assertion"])("without %s", async (name) => {
        const { [name]: _, ...others } = await form();
        const { status, body } = await answerOf(postForm(endpoint(), others as Parameters));
        expect({ status, body }).toEqual({ status: 400, body: { error: "invalid_request" } });
      });

      test.each(["grant_type", "client_assertion_type", "client_assertion"])("with an empty %s", async (name) => {
        const { status, body } = await answerOf(postForm(endpoint(), { ...(await form()), [name]: "" }));
        expect({ status, body }).toEqual({ status: 400, body: { error: "invalid_request" } });
      });

      test("with another client_assertion_type", async () => {
        const type = "urn:ietf:params:oauth:client-assertion-type:saml2-bearer";
        const { status, body } = await answerOf(
          postForm(endpoint(), { ...(await form()), client_assertion_type: type }),
        );
        expect({ status, body }).toEqual({ status: 400, body: { error: "invalid_request" } });
      });

      test("with a malformed grant_type", async () => {
        const { status, body } = await answerOf(postForm(endpoint(), { ...(await form()), grant_type: "a b" }));
        expect({ status, body }).toEqual({ status: 400, body: { error: "invalid_request" } });
      });

      test("with an unknown grant_type, by its own error", async () => {
        const { status, body } = await answerOf(postForm(endpoint(), { ...(await form()), grant_type: "password" }));
        expect({ status, body }).toEqual({ status: 400, body: { error: "unsupported_grant_type" } });
      });

      test("with Basic authentication alone: 401 with a challenge", async () => {
        const grant = { grant_type: "client_credentials" };
        const wrong = basic({ ...RESOURCE_SERVER, secret: "wrong" });
        const { status, body, headers } = await answerOf(postForm(endpoint(), grant, wrong));
        const error_description = expect.stringContaining("accepted, as the client is registered");
        expect({ status, body }).toEqual({ status: 401, body: { error: "invalid_client", error_description } });
        expect(headers.get("WWW-Authenticate")).toMatch(/^Basic /);
      });

      test("with an app's right secret, as it may not use the grant", async () => {
        const grant = { grant_type: "client_credentials" };
        const answer = await answerOf(postForm(endpoint(), grant, basic(RESOURCE_SERVER)));
        expect(answer).toMatchObject({ status: 400, body: { error: "unauthorized_client" } });
        expect(answer.headers.get("WWW-Authenticate")).toBeNull();
      });
    });

    test("an API client has no password: none can be given, and none gets a token", async () => {
      for (const given of [{ password: "correct horse" }, { secret: "correct horse" }, { clientSecret: "x" }]) {
        const { status, body } = await answerOf(manage(owner, "POST", "/api-clients", { name: "one", ...given }));
        expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining(Object.keys(given)[0] ?? "")]);
      }
      const shown = await answerOf(manage(owner, "GET", `/api-clients/${signer.clientId}`));
      expect(JSON.stringify(Object.keys(shown.body as object))).not.toMatch(/password|secret/i);
      const grant = { grant_type: "client_credentials" };
      const inHeader = basic({ clientId: signer.clientId, secret: "correct horse" });
      expect((await postForm(tokenEndpointOf(regions.us), grant, inHeader)).status).toBe(401);
      const inForm = { ...grant, client_id: signer.clientId, client_secret: "correct horse" };
      const { status, body } = await answerOf(postForm(tokenEndpointOf(regions.us), inForm));
      expect([status, body]).toEqual([400, expect.objectContaining({ error: expect.any(String) })]);
      expect(body).not.toHaveProperty("access_token");
    });

    describe("follows the life of a client", () => {
      test("rotation: add a key, use it, revoke the old one, keep its tokens", async () => {
        const { clientId, key: oldKey } = await createSigner(owner, { scopes: ["audit:read"] });
        const old = { clientId, key: oldKey };
        const issuedBefore = await issueToken(regions.us, old);
        const current = { clientId, key: await addKey(owner, clientId) };
        expect((await requestToken(regions.us, current)).status).toBe(200);
        expect((await requestToken(regions.us, old)).status).toBe(200);

        const path = `/api-clients/${clientId}/key-pairs/${oldKey.keyPairId}/revoke`;
        expect((await manage(owner, "POST", path)).status).toBe(200);
        const { status, body } = await answerOf(requestToken(regions.us, old));
        expect({ status, body }).toEqual({ status: 400, body: refused("invalid JWT signature") });
        expect((await requestToken(regions.us, current)).status).toBe(200);

        const response = await fetch(`${regions.us.url}/api/v1/audit-events?limit=1`, {
          headers: { Authorization: `Bearer ${issuedBefore}` },
        });
        expect(response.status).toBe(200);
      });

      test("a client without keys is known but nothing verifies", async () => {
        const clientId = await createClient(owner);
        const { body } = await answerOf(requestToken(regions.us, { clientId, key: signer.key }));
        expect(body).toEqual(refused("invalid JWT signature"));
      });

      test("a deleted client is refused at once", async () => {
        const deleted = await createSigner(owner);
        expect((await requestToken(regions.us, deleted)).status).toBe(200);
        expect((await manage(owner, "DELETE", `/api-clients/${deleted.clientId}`)).status).toBe(204);
        const { status, body } = await answerOf(requestToken(regions.us, deleted));
        expect({ status, body }).toEqual({ status: 400, body: refused("invalid client") });
      });
    });

    test("issued tokens and refusals of a proven client are in the audit log", async () => {
      const audited = await createSigner(owner);
      await issueToken(regions.us, audited);
      await requestToken(regions.us, { ...audited, key: signer.key });
      // Refusals of one address are recorded up to a limit, which the tests before may have used up: again, until one is.
      const tokenEvents = async () => {
        await requestToken(regions.us, audited, { claims: { exp: secondsFromNow(-5) } });
        const response = await manage(owner, "GET", `/audit-events?agent=${audited.clientId}`);
        const { items } = await expectJson<{ items: { type: string; reason?: string }[] }>(response, 200);
        const events = items.filter(({ type }) => type.startsWith("token."));
        return [...new Set(events.map(({ type, reason = "" }) => `${type} ${reason}`))];
      };
      await expect
        .poll(tokenEvents, { timeout: 20_000, interval: 500 })
        .toEqual(["token.refused expired JWT", "token.issued "]);
    });
  });
}
