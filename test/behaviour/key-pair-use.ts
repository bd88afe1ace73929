import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import {
  addKey,
  answerOf,
  assertionParameters,
  createSigner,
  expectJson,
  issueToken,
  manage,
  type Owner,
  postForm,
  requestToken,
  setUpOwner,
  signAssertion,
  startAlone,
} from "./fixture.ts";

const HOUR = 60 * 60_000;

interface ShownKeyPair {
  readonly keyPairId: string;
  readonly status: string;
  readonly lastUsedAt?: string;
}

/** How an owner sees which key pairs are in use, as before the end of a rotation. */
export function keyPairUse(runtime: RuntimeUnderTest): void {
  describe(`uses of key pairs on ${runtime.name}`, () => {
    let regions: RunningRegions;
    let owner: Owner;
    beforeAll(async () => {
      regions = await startAlone(runtime);
      owner = await setUpOwner(regions.us);
    });
    afterAll(() => regions?.stop());

    const keyPairsOf = async (clientId: string): Promise<readonly ShownKeyPair[]> => {
      const response = await manage(owner, "GET", `/api-clients/${clientId}/key-pairs`);
      return (await expectJson<{ items: readonly ShownKeyPair[] }>(response, 200)).items;
    };
    /** The client's key pairs, once this one was used. */
    const afterUse = (clientId: string, keyPairId: string) =>
      eventually(
        () => keyPairsOf(clientId),
        (shown) => shown.some((pair) => pair.keyPairId === keyPairId && pair.lastUsedAt !== undefined),
      );

    test("the hour of its last token is shown with a key pair, and nothing with one that was never used", async () => {
      const { clientId, key } = await createSigner(owner);
      await addKey(owner, clientId);
      for (const pair of await keyPairsOf(clientId)) expect(pair).not.toHaveProperty("lastUsedAt");
      const start = Date.now();
      await issueToken(regions.us, { clientId, key });
      const [used, unused] = await afterUse(clientId, key.keyPairId);
      expect(used?.lastUsedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/);
      const hour = Date.parse(used?.lastUsedAt ?? "");
      expect(hour).toBeGreaterThan(start - HOUR);
      expect(hour).toBeLessThanOrEqual(Date.now());
      expect(unused).not.toHaveProperty("lastUsedAt");
      const client = await answerOf(manage(owner, "GET", `/api-clients/${clientId}`));
      expect(client.body).toMatchObject({ keyPairs: [used, unused] });
      const list = await answerOf(manage(owner, "GET", "/api-clients?limit=200"));
      const { items } = list.body as { items: { clientId: string }[] };
      expect(items.find((item) => item.clientId === clientId)).toEqual(client.body);
    });

    test("a use is no change: entity tag and updatedAt stay, and an edit based on them passes", async () => {
      const { clientId, key } = await createSigner(owner);
      const before = await answerOf(manage(owner, "GET", `/api-clients/${clientId}`));
      await issueToken(regions.us, { clientId, key });
      await afterUse(clientId, key.keyPairId);
      const after = await answerOf(manage(owner, "GET", `/api-clients/${clientId}`));
      const tag = before.headers.get("ETag") as string;
      expect(after.headers.get("ETag")).toBe(tag);
      const { updatedAt } = before.body as { updatedAt: string };
      expect(after.body).toMatchObject({ updatedAt });
      const edit = await fetch(`${regions.us.url}/api/v1/api-clients/${clientId}`, {
        method: "PATCH",
        headers: { Cookie: owner.cookie, "Content-Type": "application/json", "If-Match": tag },
        body: '{"name":"Renamed"}',
      });
      expect(await answerOf(edit)).toMatchObject({
        status: 200,
        body: { name: "Renamed", keyPairs: [{ lastUsedAt: expect.any(String) }] },
      });
    });

    test("only what brings a token counts: neither a refused assertion nor one that authenticates for something else", async () => {
      const { clientId, key } = await createSigner(owner);
      const other = await addKey(owner, clientId);
      const refusals = [
        await requestToken(regions.us, { clientId, key }, { parameters: { scope: "nothing:granted" } }),
        await requestToken(regions.us, { clientId, key }, { claims: { exp: 1 } }),
      ];
      expect(refusals.map(({ status }) => status)).toEqual([400, 400]);
      const assertion = await signAssertion({ clientId, key }, regions.us);
      const form = { ...assertionParameters(assertion), token: "unknown" };
      expect((await postForm(`${regions.us.url}/oauth2/introspect`, form)).status).toBe(200);
      await issueToken(regions.us, { clientId, key: other });
      const [unused] = await afterUse(clientId, other.keyPairId);
      expect(unused).not.toHaveProperty("lastUsedAt");
    });

    test("a revoked key pair still shows when it was last used", async () => {
      const { clientId, key } = await createSigner(owner);
      await issueToken(regions.us, { clientId, key });
      const [used] = await afterUse(clientId, key.keyPairId);
      await manage(owner, "POST", `/api-clients/${clientId}/key-pairs/${key.keyPairId}/revoke`);
      expect(await keyPairsOf(clientId)).toMatchObject([{ status: "revoked", lastUsedAt: used?.lastUsedAt }]);
    });

    test("that somebody still signs with a revoked key pair is in the audit log, and not who only names it", async () => {
      const { clientId, key } = await createSigner(owner);
      const { key: another } = await createSigner(owner);
      await manage(owner, "POST", `/api-clients/${clientId}/key-pairs/${key.keyPairId}/revoke`);
      const named = { header: { kid: key.fingerprint } };
      for (const signing of [another, key]) {
        for (const overrides of [named, {}]) {
          const answer = await answerOf(requestToken(regions.us, { clientId, key: signing }, overrides));
          expect(answer).toMatchObject({ status: 400, body: { error_description: "invalid JWT signature" } });
        }
      }
      const refusals = async () => {
        const response = await manage(owner, "GET", `/audit-events?agent=${clientId}&type=token.refused`);
        return (await expectJson<{ items: readonly unknown[] }>(response, 200)).items;
      };
      const refusal = {
        outcome: "refused",
        reason: "key pair revoked",
        actor: clientId,
        agent: clientId,
        details: { clientId, keyPairId: key.keyPairId },
      };
      const recorded = await eventually(refusals, (items) => items.length > 0);
      expect(recorded).toMatchObject([refusal]);
    });

    test("many tokens at once, of several keys, leave a use of each key and lose none of the keys", async () => {
      const { clientId, key } = await createSigner(owner);
      const keys = [key, await addKey(owner, clientId), await addKey(owner, clientId)];
      const requests = Array.from({ length: 30 }, (_, i) =>
        issueToken(regions.us, { clientId, key: keys[i % keys.length] as typeof key }),
      );
      const added = await addKey(owner, clientId);
      await Promise.all(requests);
      const shown = await eventually(
        () => keyPairsOf(clientId),
        (pairs) => pairs.filter(({ lastUsedAt }) => lastUsedAt !== undefined).length === keys.length,
      );
      expect(shown.map(({ keyPairId }) => keyPairId)).toEqual([...keys, added].map(({ keyPairId }) => keyPairId));
    });
  });
}
