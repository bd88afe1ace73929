import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { auditShardName, auditShardOfEvent } from "../../infra/cloudflare/audit-shard-name.ts";
import { laneShards } from "../../lib/authorization-server/tokens/sharding.ts";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { apiClient, auditEvent, tokenIssue } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";
import { type OpenFaultyProduct, openFaultyProduct } from "./support/faulty.ts";
import { CONFIGURATION } from "./support/token-requests.ts";

/** Shorter than what an alarm waits before it delivers again. */
const BEFORE_THE_ALARM = 9_000;

/** The runtime evicts idle objects whenever it likes: what they have in memory is gone, what they stored stays. */
describe("an object that was evicted", () => {
  let it: OpenFaultyProduct;
  beforeAll(async () => {
    it = await openFaultyProduct(CONFIGURATION);
  });
  beforeEach(() => it.set());
  afterAll(() => it.close());

  const event = ({ organizationId }: Pick<ApiClientRecord, "organizationId">) => auditEvent({ organizationId });
  const created = async () => {
    const client = apiClient();
    await it.stores().apiClients.create(client, event(client));
    return client;
  };
  const recorded = async ({ organizationId, id }: AuditEvent) => {
    const { items } = await it.stores().auditLog.query({ organizationId }, { limit: 100 });
    return items.some((item) => item.id === id);
  };

  test("8. delivers a revocation by its alarm", async () => {
    const client = await created();
    const lane = String(laneShards(client.clientId)[4]);
    await it.set({ binding: "TOKEN_SHARDS", method: "addTombstones", name: lane, how: "refuse" });
    const keyPairId = client.keyPairs[0]?.keyPairId ?? "";
    const revocation = it.stores().apiClients.revokeKeyPair(client, keyPairId, Date.now(), event(client));
    await expect(revocation).rejects.toThrow("not every token shard knows it yet");
    await it.worker.evictDurableObject("REGISTRY", { name: "us" });
    await it.set();
    const shard = await it.worker.getDurableObjectStorage("TOKEN_SHARDS", { name: lane });
    await eventually(
      () => shard.exec("SELECT id FROM tombstones WHERE id = ?", `key/${keyPairId}`),
      (rows) => rows.length === 1,
    );
  });

  test("tries what it had tried in vain with its next event, without waiting for the alarm", async () => {
    const client = await created();
    const first = tokenIssue(client, { assertionId: "one" });
    const name = String(first.reference.shard);
    await it.counted();
    await it.set({ binding: "AUDIT_SHARDS", method: "appendAccepted", from: "object", how: "refuse" });
    const start = Date.now();
    await it.stores().tokens.issue(first);
    await eventually(
      async () => it.logs(),
      (lines) => lines.some((line) => line.includes('"object":"token shard"') && line.includes("a fault of the test")),
    );
    await it.worker.evictDurableObject("TOKEN_SHARDS", { name });
    await it.set();
    const second = tokenIssue(client, { assertionId: "two" });
    const reference = { ...second.reference, shard: first.reference.shard };
    await it.stores().tokens.issue({ ...second, reference });
    for (const { event: issued } of [first, second]) {
      await eventually(
        () => recorded(issued),
        (isRecorded) => isRecorded,
      );
    }
    expect(Date.now() - start).toBeLessThan(BEFORE_THE_ALARM);
  });

  test("is listed for queries once, and keeps what it recorded", async () => {
    const organizationId = `org_${crypto.randomUUID()}`;
    const first = auditEvent({ organizationId });
    // The last character of an id decides about the shard.
    const second = { ...first, id: first.id.replace(/.{8}$/, (end) => [...end].reverse().join("")) };
    const names = [first, second].map((one) => auditShardName(auditShardOfEvent(one)));
    await it.counted();
    await it.stores().auditLog.append(first);
    await it.worker.evictDurableObject("AUDIT_SHARDS", { name: names[0] ?? "" });
    await it.stores().auditLog.append(first);
    await it.stores().auditLog.append(second);
    const { calls } = await it.counted();
    expect(calls.filter((call) => call === "REGISTRY.listAuditShard")).toHaveLength(new Set(names).size);
    const { items } = await it.stores().auditLog.query({ organizationId }, { limit: 10 });
    expect(items).toHaveLength(2);
  });
});
