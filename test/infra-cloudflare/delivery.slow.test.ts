import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditShardName, auditShardOfEvent } from "../../infra/cloudflare/audit-shard-name.ts";
import { laneShards } from "../../lib/authorization-server/tokens/sharding.ts";
import { smallestUlid } from "../../lib/kernel/ids.ts";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { apiClient, auditEvent, keyPair, MINUTE, newOrganizationId, tokenIssue } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";
import { type OpenDurableObjects, openDurableObjects } from "../support/stores-worker/engine.ts";

const POST = "INSERT INTO outbox (entry, schema) SELECT value, 1 FROM json_each(?)";
const KEY_REVOKED = { outcome: "refused", reason: "key_revoked" };
/** Shorter than what an alarm waits before it delivers again. */
const BEFORE_THE_ALARM = 9_000;

describe("delivery between objects", () => {
  let open: OpenDurableObjects;
  beforeAll(async () => {
    open = await openDurableObjects();
  });
  afterAll(() => open.close());

  const created = async () => {
    const client = apiClient();
    await open.stores.apiClients.create(client, event(client));
    return client;
  };
  const event = ({ organizationId }: Pick<ApiClientRecord, "organizationId">) => auditEvent({ organizationId });
  const revoke = (client: ApiClientRecord) =>
    open.stores.apiClients.revokeKeyPair(client, client.keyPairs[0]?.keyPairId ?? "", Date.now(), event(client));
  const issues = async (client: ApiClientRecord) =>
    Promise.all(
      Array.from({ length: 24 }, async (_, i) =>
        open.stores.tokens.issue(tokenIssue(client, { assertionId: `lane-${i}` })),
      ),
    );
  const storage = (binding: string, name: string) => open.worker.getDurableObjectStorage(binding, { name });
  const post = async (binding: string, name: string, messages: readonly object[]) =>
    (await storage(binding, name)).exec(POST, JSON.stringify(messages.map((message) => JSON.stringify(message))));
  const recorded = async ({ organizationId, id }: AuditEvent) => {
    const { items } = await open.stores.auditLog.query({ organizationId }, { limit: 100 });
    return items.some((item) => item.id === id);
  };

  test("8. a revocation reaches every lane although more events than one pass reads cannot be delivered", async () => {
    const client = await created();
    const organizationId = newOrganizationId();
    const start = Date.UTC(2026, 5, 1);
    const stuck = Array.from({ length: 1100 }, (_, i) =>
      auditEvent({ organizationId, time: start + i, id: smallestUlid(start + i) }),
    );
    const broken = auditShardName(auditShardOfEvent(stuck[0] as AuditEvent));
    await (await storage("AUDIT_SHARDS", broken)).exec("DROP TABLE audit_events");
    const behind = event({ organizationId: newOrganizationId() });
    await post(
      "REGISTRY",
      "us",
      [...stuck, behind].map((one) => ({ kind: "event", event: one })),
    );

    expect((await revoke(client)).outcome).toBe("done");
    expect(await issues(client)).toEqual(Array.from({ length: 24 }, () => KEY_REVOKED));
    // What stands behind the stuck ones is the alarm's.
    await eventually(
      () => recorded(behind),
      (isRecorded) => isRecorded,
    );
    await (await storage("REGISTRY", "us")).exec("DELETE FROM outbox");
  });

  test("8. lanes that cannot be reached fail the changes of their own clients only", async () => {
    const client = await created();
    const lanes = laneShards(client.clientId);
    const other = await clientElsewhere(created, lanes);
    const lane = await storage("TOKEN_SHARDS", String(lanes[3]));
    await lane.exec("ALTER TABLE tombstones RENAME TO hidden");

    await expect(revoke(client)).rejects.toThrow("not every token shard knows it yet");
    expect((await open.stores.apiClients.addKeyPair(other, keyPair(), event(other))).outcome).toBe("done");
    await expect(revoke(client)).rejects.toThrow("not every token shard knows it yet");

    await lane.exec("ALTER TABLE hidden RENAME TO tombstones");
    expect((await revoke(client)).outcome).toBe("done");
    expect(await issues(client)).toEqual(Array.from({ length: 24 }, () => KEY_REVOKED));
  });

  test("events that nobody understands are logged and hold up no others, of their shard or another", async () => {
    const client = await created();
    const first = tokenIssue(client, { assertionId: "one" });
    const { shard } = first.reference;
    const start = Date.now();
    const { type: _, ...untyped } = event(client);
    await post("TOKEN_SHARDS", String(shard), [
      { kind: "event", event: { time: start } },
      { kind: "event" },
      { kind: "event", event: untyped },
      { kind: "of a later release" },
    ]);
    const second = tokenIssue(client, { assertionId: "one-more" });
    for (const issue of [first, second]) {
      const reference = { ...issue.reference, shard };
      expect(await open.stores.tokens.issue({ ...issue, reference })).toEqual({ outcome: "issued" });
      await eventually(
        () => recorded(issue.event),
        (isRecorded) => isRecorded,
      );
    }
    expect(Date.now() - start).toBeLessThan(BEFORE_THE_ALARM);
    const logged = open.logs().filter((line) => line.includes("token shard"));
    expect(logged.some((line) => line.includes("belongs to no audit shard"))).toBe(true);
    expect(logged.some((line) => line.includes("NOT NULL constraint failed: audit_events.type"))).toBe(true);
    const left = await (await storage("TOKEN_SHARDS", String(shard))).exec(
      // What arrived may be there until the shard's next change.
      "SELECT COUNT(*) AS count FROM outbox WHERE json_extract(entry, '$.event.type') IS NULL",
    );
    expect(left).toEqual([{ count: 4 }]);
    await (await storage("TOKEN_SHARDS", String(shard))).exec("DELETE FROM outbox");
  });

  test("8. tombstones that nobody understands hold up no others", async () => {
    const client = await created();
    const keyPairId = client.keyPairs[0]?.keyPairId;
    await post("REGISTRY", "us", [
      { kind: "tombstones" },
      { kind: "tombstones", clientId: client.clientId, tombstones: [{}] },
      { kind: "tombstones", clientId: client.clientId },
      { kind: "tombstones", clientId: client.clientId, tombstones: [{ id: `key/${keyPairId}` }] },
    ]);
    const other = await created();
    expect((await revoke(other)).outcome).toBe("done");
    for (const shard of laneShards(client.clientId)) {
      const lane = await storage("TOKEN_SHARDS", String(shard));
      await eventually(
        () => lane.exec("SELECT id FROM tombstones WHERE id = ?", `key/${keyPairId}`),
        (rows) => rows.length === 1,
      );
    }
    expect(await issues(client)).toEqual(Array.from({ length: 24 }, () => KEY_REVOKED));
    await (await storage("REGISTRY", "us")).exec("DELETE FROM outbox");
  });

  test("more expired rows than one alarm deletes are gone soon after it", async () => {
    const issue = tokenIssue(await created());
    const shard = await storage("TOKEN_SHARDS", String(issue.reference.shard));
    await shard.exec(
      `WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 12000)
       INSERT INTO single_use (namespace, key, expires_at) SELECT 'test', number, ? FROM numbers`,
      Date.now() - 60 * MINUTE,
    );
    await open.stores.tokens.issue(issue);
    const left = await eventually(
      () => shard.exec("SELECT COUNT(*) AS count FROM single_use WHERE namespace = 'test'"),
      ([row]) => row?.count === 0,
    );
    expect(left).toHaveLength(1);
  });
});

/** A client with no lane among those. */
async function clientElsewhere(
  create: () => Promise<ApiClientRecord>,
  lanes: readonly number[],
): Promise<ApiClientRecord> {
  for (;;) {
    const client = await create();
    if (laneShards(client.clientId).every((lane) => !lanes.includes(lane))) return client;
  }
}
