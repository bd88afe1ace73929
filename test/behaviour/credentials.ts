import { createRemoteJWKSet } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type ProtectedUpstream, startProtectedUpstream } from "../support/protected-upstream.ts";
import type { RunningRegion, RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { AUDIENCE, credentialsConfiguration } from "./credentials-configuration.ts";
import {
  assertionParameters,
  createSigner,
  issueToken,
  type Owner,
  postForm,
  type Signer,
  setUpOwner,
  signAssertion,
} from "./fixture.ts";
import { auditRecords, bearer, mcpURL, post, rpc, textOf } from "./gateway-fixture.ts";

/** What calls to an upstream carry: tokens that are exchanged here, or at another server. */
export function credentials(runtime: RuntimeUnderTest): void {
  describe("credentials for upstreams", () => {
    let upstream: ProtectedUpstream;
    let regions: RunningRegions;
    let us: RunningRegion;
    let owner: Owner;

    beforeAll(async () => {
      upstream = await startProtectedUpstream();
      const variables = { UPSTREAM_URL: upstream.url };
      regions = await runtime.start({ configuration: credentialsConfiguration, variables });
      us = regions.us;
      owner = await setUpOwner(us);
    });
    beforeEach(() => takeTokensOf(us));
    afterAll(async () => {
      await regions.stop();
      await upstream.stop();
    });

    const takeTokensOf = ({ url }: RunningRegion) =>
      upstream.expect({
        keys: createRemoteJWKSet(new URL(`${url}/oauth2/jwks`)),
        issuer: url,
        audience: AUDIENCE,
      });
    /** An agent of a region that uses the gateway of the region `us`. */
    const agentOf = (whose: Owner) => createSigner(whose, { scopes: ["notes:read"], resources: [mcpURL(us)] });
    const tokenOf = (agent: Signer, region = us) => issueToken(region, agent, { resource: mcpURL(us) });
    const call = (tool: string, token: string) => {
      const given = tool.endsWith("listTags") ? {} : { noteId: "1" };
      const params = { name: tool, arguments: given };
      return post(us, { jsonrpc: "2.0", id: 1, method: "tools/call", params }, bearer(token));
    };

    test("are good for the API alone, and name the agent", async () => {
      const agent = await agentOf(owner);
      const answer = await rpc(await call("upstream_getNote", await tokenOf(agent)));
      expect(textOf(answer)).toContain(`of ${agent.clientId}`);
      const claims = upstream.accepted.at(-1);
      expect(claims).toMatchObject({ aud: AUDIENCE, scope: "ledger:read", client_id: "gateway" });
      expect(claims?.act).toMatchObject({ sub: agent.clientId });
      expect(Number(claims?.exp) - Number(claims?.iat)).toBe(120);
    });

    test("39. are used again, and by nobody else", async () => {
      const [one, other] = await Promise.all([agentOf(owner), agentOf(owner)]);
      const [first = "", second = "", third = ""] = [await tokenOf(one), await tokenOf(one), await tokenOf(other)];
      const before = upstream.accepted.length;
      for (const token of [first, first, second, third, first]) await rpc(await call("upstream_getNote", token));
      const used = upstream.accepted.slice(before);
      expect(used.map(({ sub }) => sub)).toEqual([one, one, one, other, one].map(({ clientId }) => clientId));
      const [a, b, c, d, e] = used.map(({ jti }) => jti);
      // Each process has one of its own.
      const { processes = 1 } = runtime;
      expect(new Set([a, b, e]).size).toBeLessThanOrEqual(processes);
      for (const another of [c, d]) expect([a, b, e]).not.toContain(another);
      expect(c).not.toBe(d);
    });

    test("40. are no way around a revocation", async () => {
      const agent = await agentOf(owner);
      const token = await tokenOf(agent);
      for (let n = 0; n < 2; n++) expect((await rpc(await call("upstream_getNote", token))).result).toBeDefined();
      const before = upstream.requests.length;
      const proof = assertionParameters(await signAssertion(agent, us));
      expect((await postForm(`${us.url}/oauth2/revoke`, { token, ...proof })).status).toBe(200);
      expect((await call("upstream_getNote", token)).status).toBe(401);
      expect(upstream.requests).toHaveLength(before);
    });

    test("29. are renewed once where the API refuses one, which is told when it stays", async () => {
      const token = await tokenOf(await agentOf(owner));
      upstream.refuse(1);
      expect((await rpc(await call("upstream_getNote", token))).result?.isError).toBeUndefined();
      upstream.refuse(2);
      const answer = await rpc(await call("upstream_getNote", token));
      expect(answer.result?.isError).toBe(true);
      expect(textOf(answer)).toContain("The API refused the token");
      expect(upstream.requests.at(-1)?.authorization).not.toContain(token);
    });

    test("that the gateway may not have are refused, recorded, and nothing is called", async () => {
      const before = upstream.requests.length;
      const answer = await rpc(await call("upstream_listTags", await tokenOf(await agentOf(owner))));
      expect(answer.result?.isError).toBe(true);
      expect(textOf(answer)).toContain("(invalid_scope)");
      expect(upstream.requests).toHaveLength(before);
      const [record] = await auditRecords(owner, "listTags");
      expect(record).toMatchObject({ outcome: "denied", reason: "credential_refused" });
    });

    test("take a sign-in of the kind that a tool needs", async () => {
      const response = await call("upstream_deleteNote", await tokenOf(await agentOf(owner)));
      expect(response.status).toBe(401);
      const facts = { error: "insufficient_user_authentication", acr_values: "urn:example:strong", max_age: "300" };
      expect(await response.json()).toMatchObject(facts);
      const [record] = await auditRecords(owner, "deleteNote");
      expect(record).toMatchObject({ outcome: "denied", reason: "insufficient_authentication" });
    });

    describe("from another server", () => {
      let agent: Signer;

      beforeAll(async () => {
        agent = await agentOf(await setUpOwner(regions.uk));
        // Both begin at the same time: who asked for the other's metadata before they were there asks again a little later.
        await eventually(
          async () => (await fetch(`${us.url}/status`)).status,
          (status) => status === 200,
        );
      });
      beforeEach(() => takeTokensOf(regions.uk));

      test("are its tokens, for tokens of its own", async () => {
        const answer = await rpc(await call("elsewhere_getNote", await tokenOf(agent, regions.uk)));
        expect(textOf(answer)).toContain(`of ${agent.clientId}`);
        expect(upstream.accepted.at(-1)).toMatchObject({ iss: regions.uk.url, act: { sub: agent.clientId } });
      });

      test("are not to be had for tokens that it does not take", async () => {
        const response = await call("elsewhere_getNote", await tokenOf(await agentOf(owner)));
        expect(response.status).toBe(401);
        expect(await response.json()).toMatchObject({ error: "invalid_token" });
      });
    });
  });
}
