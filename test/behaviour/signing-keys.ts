import { createRemoteJWKSet, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { behaviourConfiguration, RESOURCE_SERVER } from "./configuration.ts";
import {
  type Answer,
  answerOf,
  assertionParameters,
  basic,
  createSigner,
  expectJson,
  issueToken,
  NO_UPSTREAM,
  type Parameters,
  postForm,
  type Signer,
  setUpOwner,
  signAssertion,
  startRegions,
} from "./fixture.ts";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const GATEWAY = { clientId: "gateway", secret: "secret-of-the-gateway" } as const;
const LEDGER = "https://ledger.example/api";

/** Tokens are signed for an app that exchanges them for JWTs. */
const configuration: string = behaviourConfiguration
  .replace("  region:", "  keySecret: <countersign.key-secret>\n  region:")
  .replace(
    "apps:\n",
    `apps:
  - type: oidc
    name: gateway
    clientID: ${GATEWAY.clientId}
    credentials: {secrets: [${GATEWAY.secret}]}
    grantTypes: ["${EXCHANGE}"]
    allowedAudiences: [${LEDGER}]
`,
  );

/** The service's own keys: made when they are needed, published, and used for access tokens as JWTs (RFC 9068). */
export function signingKeys(runtime: RuntimeUnderTest): void {
  describe("signing keys", () => {
    let regions: RunningRegions;
    let signer: Signer;
    beforeAll(async () => {
      regions = await startRegions(runtime, NO_UPSTREAM, configuration);
      const owner = await setUpOwner(regions.us);
      signer = await createSigner(owner, { resources: [LEDGER] });
    });
    afterAll(() => regions.stop());

    const post = (path: string, form: Parameters, headers: Parameters): Promise<Answer> =>
      answerOf(postForm(`${regions.us.url}/oauth2/${path}`, form, headers));

    async function exchanged(subject: string): Promise<string> {
      const form = {
        grant_type: EXCHANGE,
        subject_token: subject,
        subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
        audience: LEDGER,
      };
      const { status, body } = await post("token", form, basic(GATEWAY));
      expect({ status, body }).toMatchObject({ status: 200, body: { access_token: expect.any(String) } });
      return (body as { access_token: string }).access_token;
    }

    test("eight requests at once that need the first key get tokens under one, which any library verifies", async () => {
      const subject = await issueToken(regions.us, signer, { resource: LEDGER });
      const tokens = await Promise.all(Array.from({ length: 8 }, () => exchanged(subject)));
      const keys = createRemoteJWKSet(new URL(`${regions.us.url}/oauth2/jwks`));
      const options = { issuer: regions.us.url, audience: LEDGER, typ: "at+jwt", algorithms: ["ES256"] };
      for (const token of tokens) {
        const { payload } = await jwtVerify(token, keys, options);
        expect(payload).toMatchObject({ client_id: GATEWAY.clientId, act: { sub: signer.clientId } });
      }
      const published = await expectJson<{ keys: object[] }>(await fetch(`${regions.us.url}/oauth2/jwks`), 200);
      expect(published.keys).toHaveLength(1);
      expect(Object.keys(published.keys[0] ?? {}).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
    });

    test("another region has keys of its own, and its tokens are none of ours", async () => {
      const token = await exchanged(await issueToken(regions.us, signer, { resource: LEDGER }));
      const keys = createRemoteJWKSet(new URL(`${regions.uk.url}/oauth2/jwks`));
      await expect(jwtVerify(token, keys)).rejects.toThrow();
      const answer = await answerOf(postForm(`${regions.uk.url}/oauth2/introspect`, { token }, basic(RESOURCE_SERVER)));
      expect(answer.body).toEqual({ active: false });
    });

    test("a JWT is introspected, and is over with the token that it was exchanged for", async () => {
      const subject = await issueToken(regions.us, signer, { resource: LEDGER });
      const token = await exchanged(subject);
      const introspect = async () => (await post("introspect", { token }, basic(RESOURCE_SERVER))).body;
      expect(await introspect()).toMatchObject({ active: true, aud: LEDGER, act: { sub: signer.clientId } });
      const form = { token: subject, ...assertionParameters(await signAssertion(signer, regions.us)) };
      expect((await post("revoke", form, {})).status).toBe(200);
      expect(await introspect()).toEqual({ active: false });
    });

    test("a client revokes its own JWT", async () => {
      const token = await exchanged(await issueToken(regions.us, signer, { resource: LEDGER }));
      expect((await post("revoke", { token }, basic(RESOURCE_SERVER))).status).toBe(200);
      expect((await post("introspect", { token }, basic(RESOURCE_SERVER))).body).toMatchObject({ active: true });
      expect((await post("revoke", { token }, basic(GATEWAY))).status).toBe(200);
      expect((await post("introspect", { token }, basic(RESOURCE_SERVER))).body).toEqual({ active: false });
    });

    test("the key set may be kept for five minutes, and health has its keys up", async () => {
      const answer = await fetch(`${regions.us.url}/oauth2/jwks`);
      expect(answer.headers.get("Cache-Control")).toMatch(/max-age=300/);
      await answer.body?.cancel();
      await expect.poll(async () => (await answerOf(fetch(`${regions.us.url}/status`))).body).toEqual({ status: "up" });
    });
  });
}
