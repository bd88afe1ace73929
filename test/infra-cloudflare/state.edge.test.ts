import { sign } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeSignatureVerifier } from "../../infra/node/crypto/signature-verifier.ts";
import { generateKeyPair } from "../../lib/api-clients/key-pairs.ts";
import { createRereadBudget } from "../../lib/api-clients/reread-budget.ts";
import { verifyClientSignature } from "../../lib/api-clients/verification.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import type { ApiClientRecord, VerificationRecord } from "../../lib/stores/api-clients.ts";
import { connected, keyOf, newPerson } from "../contract/connection-records.ts";
import { apiClient, auditEvent, keyPair, tokenIssue } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";
import { type OpenDurableObjects, openDurableObjects } from "../support/stores-worker/engine.ts";

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
    await eventually(
      async () => (await kept).get(cacheKey({ clientId })),
      (entry) => entry !== null,
    );
    expect(await open.stores.apiClients.getForVerification(clientId)).toEqual({ ...first, authoritative: false });
  });

  const keptAs = (clientId: string, text: string) =>
    eventually(
      async () => (await cache()).get(cacheKey({ clientId })),
      (kept) => kept === text,
    );

  test("7. that a client was deleted is read from the registry once and from the cache afterwards", async () => {
    const client = await created();
    const { clientId } = client;
    await open.stores.apiClients.delete(client, { revokeTokens: false }, event(client));
    expect(await open.stores.apiClients.getForVerification(clientId)).toEqual({ authoritative: true });
    await keptAs(clientId, "null");
    for (let i = 0; i < 5; i++) {
      expect(await open.stores.apiClients.getForVerification(clientId)).toEqual({ authoritative: false });
    }
  });

  test("7. a client that was probed before it existed verifies as soon as it exists, although the cache has it not", async () => {
    const { publicKey, privateKeyPem } = await generateKeyPair();
    const client = apiClient({ keyPairs: [keyPair({ publicKey })] });
    const { clientId } = client;
    await open.stores.apiClients.getForVerification(clientId);
    await keptAs(clientId, "null");
    await open.stores.apiClients.create(client, event(client));
    await (await cache()).put(cacheKey({ clientId }), "null");

    const data = new TextEncoder().encode("signed");
    const signature = new Uint8Array(sign("sha256", data, { key: privateKeyPem, dsaEncoding: "ieee-p1363" }));
    const claim = { clientId, kid: undefined, data, signature, source: "203.0.113.1" };
    const rereads = createRereadBudget(systemClock);
    const dependencies = { stores: open.stores, signatures: nodeSignatureVerifier(), rereads };
    expect((await verifyClientSignature(claim, dependencies)).outcome).toBe("verified");
    const read = await open.stores.apiClients.getForVerification(clientId);
    expect([read.authoritative, read.record?.clientId]).toEqual([false, clientId]);
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
    expect(await open.stores.tokens.issue(tokenIssue(client))).toEqual({
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
      () => open.stores.apiClients.delete(client, { revokeTokens: false }, event(client)),
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
    await eventually(
      () => registryRows("SELECT sequence FROM outbox"),
      (rows) => rows.length === 0,
    );
    for (let i = 0; i < 24; i++) {
      const issue = tokenIssue(client, { assertionId: `lane-${i}` });
      expect(await open.stores.tokens.issue(issue)).toEqual({ outcome: "refused", reason: "key_revoked" });
    }
  });

  test("67. the end of connections that a crash cut off reaches their shards by the alarm, without another call", async () => {
    const { connections } = open.stores;
    const ended = await connected(open.stores);
    const stays = await connected(open.stores, { organizationId: ended.organizationId });
    const disconnected = { organizationId: ended.organizationId, people: [ended.person, newPerson()], at: 7 };
    const message = { kind: "disconnect", disconnected };
    // A change sets the alarm, as the one did whose effect this is.
    await created();
    await registryRows("INSERT INTO outbox (entry, schema) VALUES (?, 1)", JSON.stringify(message));
    await open.evict();
    await eventually(
      () => registryRows("SELECT sequence FROM outbox"),
      (rows) => rows.length === 0,
    );
    expect(await connections.connection(keyOf(ended))).toEqual({
      ...ended,
      state: "deleted",
      deletedAt: 7,
      retryAt: 7,
    });
    expect(await connections.connection(keyOf(stays))).toEqual(stays);
  });

  test("revoking again delivers what an interrupted revocation left undone", async () => {
    const client = await created();
    const keyPairId = client.keyPairs[0]?.keyPairId ?? "";
    const message = { kind: "tombstones", clientId: client.clientId, tombstones: [{ id: `key/${keyPairId}` }] };
    await registryRows("UPDATE key_pairs SET status = 'revoked', revoked_at = 1 WHERE key_pair_id = ?", keyPairId);
    await registryRows("INSERT INTO outbox (entry, schema) VALUES (?, 1)", JSON.stringify(message));
    await open.stores.apiClients.revokeKeyPair(client, keyPairId, Date.now(), event(client));
    expect((await open.stores.tokens.issue(tokenIssue(client))).outcome).toBe("refused");
  });

  test("audit records of a token arrive although its shard was ended right after the issue", async () => {
    const client = await created();
    const issue = tokenIssue(client);
    await open.stores.tokens.issue(issue);
    await open.evict();
    const { organizationId } = client;
    await eventually(
      () => open.stores.auditLog.query({ organizationId, type: "token.issued" }, { limit: 10 }),
      ({ items }) => items.length === 1 && items[0]?.id === issue.event.id,
    );
  });
});

function cacheKey({ clientId }: Pick<ApiClientRecord, "clientId">): string {
  return `verification/2/${clientId}`;
}

function verificationOf({
  clientId,
  organizationId,
  scopes,
  resources,
  grantRevision,
  keyPairs,
}: ApiClientRecord): VerificationRecord {
  return { clientId, organizationId, scopes, resources, grantRevision, keyPairs };
}

function fingerprints(record: VerificationRecord | undefined): readonly string[] | undefined {
  return record?.keyPairs.map((known) => known.fingerprint);
}
