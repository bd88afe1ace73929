import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClientRecord, VerificationRecord } from "../../lib/stores/api-clients.ts";
import { apiClient, auditEvent, keyPair, tokenIssue } from "../contract/records.ts";
import { type OpenDurableObjects, openDurableObjects } from "../support/stores-worker/engine.ts";
import { until } from "./support/until.ts";

/** The part of a KV namespace that these tests use. */
interface Cache {
  put(key: string, value: string): Promise<void>;
  get(key: string): Promise<string | null>;
}

describe("state on Cloudflare", () => {
  let open: OpenDurableObjects;
  beforeAll(async () => {
    open = await openDurableObjects();
  });
  afterAll(() => open.close());

  const created = async () => {
    const client = apiClient({ keyPairs: [keyPair(), keyPair()] });
    await open.stores.apiClients.create(client, auditEvent({ organizationId: client.organizationId }));
    return client;
  };
  const cache = async (): Promise<Cache> => (await open.worker.getEnv()).CLIENTS;
  const cacheStale = async (client: ApiClientRecord) =>
    (await cache()).put(cacheKey(client), JSON.stringify(verificationOf(client)));
  const event = ({ organizationId }: ApiClientRecord) => auditEvent({ organizationId });
  const registryRows = async (sql: string, ...parameters: readonly unknown[]) =>
    (await open.worker.getDurableObjectStorage("REGISTRY", { name: "us" })).exec(sql, ...parameters);

  test("a client is read from the registry once and from the cache afterwards", async () => {
    const { clientId } = await created();
    const first = await open.stores.apiClients.getForVerification(clientId);
    expect(first.authoritative).toBe(true);
    const kept = cache();
    await until(async () => (await (await kept).get(cacheKey({ clientId }))) !== null);
    expect(await open.stores.apiClients.getForVerification(clientId)).toEqual({ ...first, authoritative: false });
  });

  test("a client that was probed before it existed is found as soon as it exists", async () => {
    const client = apiClient();
    expect(await open.stores.apiClients.getForVerification(client.clientId)).toEqual({ authoritative: true });
    await open.stores.apiClients.create(client, event(client));
    expect((await open.stores.apiClients.getForVerification(client.clientId)).record?.clientId).toBe(client.clientId);
  });

  test("a new key is seen by an authoritative read although the cache does not know it", async () => {
    const client = await created();
    const added = keyPair();
    await open.stores.apiClients.addKeyPair(client, added, event(client));
    await cacheStale(client);
    const stale = await open.stores.apiClients.getForVerification(client.clientId);
    expect(fingerprints(stale.record)).not.toContain(added.fingerprint);
    const fresh = await open.stores.apiClients.getForVerification(client.clientId, { authoritative: true });
    expect(fingerprints(fresh.record)).toContain(added.fingerprint);
  });

  test("8. a revoked key issues nothing although the cache still shows it", async () => {
    const client = await created();
    await open.stores.apiClients.revokeKeyPair(client, client.keyPairs[0]?.keyPairId ?? "", Date.now(), event(client));
    await cacheStale(client);
    const read = await open.stores.apiClients.getForVerification(client.clientId);
    expect(fingerprints(read.record)).toContain(client.keyPairs[0]?.fingerprint);
    expect(await open.stores.tokens.issue(await tokenIssue(client))).toEqual({
      outcome: "refused",
      reason: "key_revoked",
    });
  });

  test("each change makes the cache forget the client", async () => {
    const client = await created();
    const changes = [
      () => open.stores.apiClients.update(client, { name: "Renamed" }, Date.now(), event(client)),
      () => open.stores.apiClients.addKeyPair(client, keyPair(), event(client)),
      () =>
        open.stores.apiClients.revokeKeyPair(client, client.keyPairs[0]?.keyPairId ?? "", Date.now(), event(client)),
      () => open.stores.apiClients.delete(client, { revokeTokens: false }, Date.now(), event(client)),
    ];
    for (const change of changes) {
      await cacheStale(client);
      expect((await change()).outcome).toBe("done");
      expect(await (await cache()).get(cacheKey(client))).toBeNull();
    }
  });

  test("a revocation that a crash cut off reaches every lane by the alarm, without another call", async () => {
    const client = await created();
    const keyPairId = client.keyPairs[0]?.keyPairId;
    const message = { kind: "tombstones", clientId: client.clientId, tombstones: [{ id: `key/${keyPairId}` }] };
    await registryRows("INSERT INTO outbox (entry, schema) VALUES (?, 1)", JSON.stringify(message));
    await open.evict();
    await until(async () => (await registryRows("SELECT sequence FROM outbox")).length === 0);
    for (let i = 0; i < 24; i++) {
      const issue = await tokenIssue(client, { assertionId: `lane-${i}` });
      expect(await open.stores.tokens.issue(issue)).toEqual({ outcome: "refused", reason: "key_revoked" });
    }
  });

  test("revoking again delivers what an interrupted revocation left undone", async () => {
    const client = await created();
    const keyPairId = client.keyPairs[0]?.keyPairId ?? "";
    const message = { kind: "tombstones", clientId: client.clientId, tombstones: [{ id: `key/${keyPairId}` }] };
    await registryRows("UPDATE key_pairs SET status = 'revoked', revoked_at = 1 WHERE key_pair_id = ?", keyPairId);
    await registryRows("INSERT INTO outbox (entry, schema) VALUES (?, 1)", JSON.stringify(message));
    await open.stores.apiClients.revokeKeyPair(client, keyPairId, Date.now(), event(client));
    expect((await open.stores.tokens.issue(await tokenIssue(client))).outcome).toBe("refused");
  });

  test("audit records of a token arrive although its shard was ended right after the issue", async () => {
    const client = await created();
    const issue = await tokenIssue(client);
    await open.stores.tokens.issue(issue);
    await open.evict();
    const { organizationId } = client;
    await until(async () => {
      const page = await open.stores.auditLog.query({ organizationId, type: "token.issued" }, { limit: 10 });
      return page.items.length === 1 && page.items[0]?.id === issue.event.id;
    });
  });
});

function cacheKey({ clientId }: Pick<ApiClientRecord, "clientId">): string {
  return `verification/1/${clientId}`;
}

function verificationOf({
  clientId,
  organizationId,
  scopes,
  resources,
  keyPairs,
}: ApiClientRecord): VerificationRecord {
  return { clientId, organizationId, scopes, resources, keyPairs };
}

function fingerprints(record: VerificationRecord | undefined): readonly string[] | undefined {
  return record?.keyPairs.map((known) => known.fingerprint);
}
