import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { OTHER_RESOURCE_SERVER, RESOURCE_SERVER } from "./configuration.ts";
import {
  type Answer,
  answerOf,
  assertionParameters,
  basic,
  createSigner,
  expectJson,
  issueToken,
  manage,
  type Owner,
  type Parameters,
  postForm,
  type Signer,
  secondsFromNow,
  setUpOwner,
  signAssertion,
  startAlone,
} from "./fixture.ts";

/** Introspection (RFC 7662) and revocation (RFC 7009). */
export function introspectionAndRevocation(runtime: RuntimeUnderTest): void {
  describe("introspection and revocation", () => {
    let regions: RunningRegions;
    let owner: Owner;
    let signer: Signer;
    let stranger: Signer;

    beforeAll(async () => {
      regions = await startAlone(runtime);
      owner = await setUpOwner(regions.us);
      signer = await createSigner(owner, { scopes: ["audit:read"], resources: [OTHER_RESOURCE_SERVER.resource] });
      stranger = await createSigner(owner);
    });
    afterAll(() => regions.stop());

    const post = (path: string, form: Parameters, headers: Parameters = {}): Promise<Answer> =>
      answerOf(postForm(`${regions.us.url}/oauth2/${path}`, form, headers));
    const introspect = (token: string, headers: Parameters = basic(RESOURCE_SERVER)) =>
      post("introspect", { token }, headers);
    const asClient = async (client: Signer): Promise<Parameters> =>
      assertionParameters(await signAssertion(client, regions.us));

    test("an active token shows its client, audience, scope and times", async () => {
      const token = await issueToken(regions.us, signer);
      const { status, body, headers } = await introspect(token);
      expect(status).toBe(200);
      expect(body).toEqual({
        active: true,
        iss: regions.us.url,
        sub: signer.clientId,
        client_id: signer.clientId,
        aud: `${regions.us.url}/api/v1`,
        scope: "audit:read",
        token_type: "Bearer",
        organization_id: expect.stringMatching(/^org_/),
        jti: expect.stringMatching(/^tok_[0-9A-Z]{26}$/),
        iat: expect.any(Number),
        exp: expect.any(Number),
      });
      const { iat, exp } = body as { iat: number; exp: number };
      expect(exp - iat).toBe(3600);
      expect(Math.abs(iat - secondsFromNow(0))).toBeLessThan(30);
      expect(headers.get("Cache-Control")).toBe("no-store");
    });

    test("a client introspects its own token with an assertion", async () => {
      const token = await issueToken(regions.us, signer);
      const { body } = await post("introspect", { token, ...(await asClient(signer)) });
      expect(body).toMatchObject({ active: true, client_id: signer.clientId });
    });

    test("an app authenticates by client_secret_post too, and a hint changes nothing", async () => {
      const token = await issueToken(regions.us, signer);
      const { clientId, secret } = RESOURCE_SERVER;
      const form = { token, token_type_hint: "refresh_token", client_id: clientId, client_secret: secret };
      expect((await post("introspect", form)).body).toMatchObject({ active: true });
    });

    test("an app with resources sees tokens for them and no others", async () => {
      const own = await issueToken(regions.us, signer, { resource: OTHER_RESOURCE_SERVER.resource });
      const foreign = await issueToken(regions.us, signer);
      expect((await introspect(own, basic(OTHER_RESOURCE_SERVER))).body).toMatchObject({
        active: true,
        aud: OTHER_RESOURCE_SERVER.resource,
      });
      expect((await introspect(foreign, basic(OTHER_RESOURCE_SERVER))).body).toEqual({ active: false });
    });

    test("a request without token is invalid_request", async () => {
      const { status, body } = await post("introspect", {}, basic(RESOURCE_SERVER));
      expect({ status, body }).toEqual({ status: 400, body: { error: "invalid_request" } });
    });

    test("an assertion counts once", async () => {
      const form = { token: await issueToken(regions.us, signer), ...(await asClient(signer)) };
      expect((await post("introspect", form)).status).toBe(200);
      const { status, body } = await post("introspect", form);
      expect({ status, body }).toEqual({
        status: 400,
        body: { error: "invalid_client", error_description: "replayed JWT" },
      });
    });

    test("a client revokes its own token, twice with the same answer", async () => {
      const token = await issueToken(regions.us, signer);
      for (let i = 0; i < 2; i++) {
        const { status, body, headers } = await post("revoke", { token, ...(await asClient(signer)) });
        expect({ status, body }).toEqual({ status: 200, body: undefined });
        expect(headers.get("Cache-Control")).toBe("no-store");
      }
      expect((await introspect(token)).body).toEqual({ active: false });
    });

    test("a revoked token is refused by the management API", async () => {
      const token = await issueToken(regions.us, signer);
      await post("revoke", { token, ...(await asClient(signer)) });
      const response = await fetch(`${regions.us.url}/api/v1/audit-events`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(response.status).toBe(401);
      await response.body?.cancel();
    });

    test("another client's token is left alone without a word", async () => {
      const token = await issueToken(regions.us, signer);
      const { status, body } = await post("revoke", { token, ...(await asClient(stranger)) });
      expect({ status, body }).toEqual({ status: 200, body: undefined });
      expect((await introspect(token)).body).toMatchObject({ active: true });
    });

    test("an app cannot revoke a client's token", async () => {
      const token = await issueToken(regions.us, signer);
      expect((await post("revoke", { token }, basic(RESOURCE_SERVER))).status).toBe(200);
      expect((await introspect(token)).body).toMatchObject({ active: true });
    });

    test("revoking an unknown token answers 200", async () => {
      expect((await post("revoke", { token: "unknown", ...(await asClient(signer)) })).status).toBe(200);
    });

    test("revoking without token is invalid_request", async () => {
      const { status, body } = await post("revoke", await asClient(signer));
      expect({ status, body }).toEqual({ status: 400, body: { error: "invalid_request" } });
    });

    test("the revocation is in the audit log once", async () => {
      const client = await createSigner(owner);
      const token = await issueToken(regions.us, client);
      await post("revoke", { token, ...(await asClient(client)) });
      await post("revoke", { token, ...(await asClient(client)) });
      const revocations = async () => {
        const path = `/audit-events?type=token.revoked&agent=${client.clientId}`;
        const { items } = await expectJson<{ items: unknown[] }>(await manage(owner, "GET", path), 200);
        return items.length;
      };
      await expect.poll(revocations, { timeout: 10_000 }).toBe(1);
    });

    test("deleting a client keeps its tokens unless they are revoked with it", async () => {
      for (const [query, active] of [["", true] as const, ["?revokeTokens=true", false] as const]) {
        const client = await createSigner(owner);
        const token = await issueToken(regions.us, client);
        expect((await manage(owner, "DELETE", `/api-clients/${client.clientId}${query}`)).status).toBe(204);
        expect((await introspect(token)).body).toMatchObject({ active });
      }
    });
  });
}
