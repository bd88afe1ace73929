import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { laneShards } from "../../lib/authorization-server/tokens/sharding.ts";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { apiClient, auditEvent, keyPair, MINUTE, tokenIssue } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";
import { type OpenFaultyProduct, openFaultyProduct } from "./support/faulty.ts";
import { CONFIGURATION } from "./support/token-requests.ts";

const KEY_REVOKED = { outcome: "refused", reason: "key_revoked" };
/** Two alarms. */
const PATIENCE = 60_000;

describe("what a change has to tell other objects", () => {
  let it: OpenFaultyProduct;
  beforeAll(async () => {
    it = await openFaultyProduct(CONFIGURATION, { TEST_REDELIVERY_DELAY: "1000" });
  });
  beforeEach(() => it.set());
  afterAll(() => it.close());

  const stores = () => it.stores();
  const event = ({ organizationId }: Pick<ApiClientRecord, "organizationId">) => auditEvent({ organizationId });
  const created = async () => {
    const client = apiClient();
    await stores().apiClients.create(client, event(client));
    return client;
  };
  const revoke = (client: ApiClientRecord) =>
    stores().apiClients.revokeKeyPair(client, client.keyPairs[0]?.keyPairId ?? "", Date.now(), event(client));
  const issues = (client: ApiClientRecord) =>
    Promise.all(
      Array.from({ length: 24 }, (_, i) => stores().tokens.issue(tokenIssue(client, { assertionId: `lane-${i}` }))),
    );
  const recorded = async ({ organizationId, id }: AuditEvent) => {
    const { items } = await stores().auditLog.query({ organizationId }, { limit: 100 });
    return items.filter((item) => item.id === id).length;
  };
  const sqlOf = (binding: string, name: string) => it.worker.getDurableObjectStorage(binding, { name });

  test("reaches them although an alarm could do nothing: it is set again instead of throwing", {
    timeout: PATIENCE,
  }, async () => {
    const issue = tokenIssue(await created());
    const shard = await sqlOf("TOKEN_SHARDS", String(issue.reference.shard));
    await it.set({ binding: "AUDIT_SHARDS", method: "appendAccepted", from: "object", how: "refuse" });
    await stores().tokens.issue(issue);
    await shard.exec("ALTER TABLE outbox RENAME TO hidden");
    await eventually(
      async () => it.logs(),
      (lines) => lines.some((line) => line.includes('"kind":"alarm"') && line.includes("no such table")),
    );
    await it.set();
    await shard.exec("ALTER TABLE hidden RENAME TO outbox");
    await eventually(
      () => recorded(issue.event),
      (count) => count === 1,
    );
  });

  test("is told again by one alarm after another while a recipient fails", { timeout: PATIENCE }, async () => {
    const issue = tokenIssue(await created());
    await it.counted();
    await it.set({ binding: "AUDIT_SHARDS", method: "appendAccepted", from: "object", how: "refuse" });
    await stores().tokens.issue(issue);
    let attempts = 0;
    await eventually(
      async () => {
        attempts += (await it.counted()).calls.filter((call) => call === "AUDIT_SHARDS.appendAccepted").length;
        return attempts;
      },
      (count) => count >= 2,
    );
    expect(await recorded(issue.event)).toBe(0);
    await it.set();
    await eventually(
      () => recorded(issue.event),
      (count) => count === 1,
    );
  });

  test("may be told twice: an event whose arrival nobody learnt of is recorded once", {
    timeout: PATIENCE,
  }, async () => {
    const issue = tokenIssue(await created());
    await it.set({ binding: "AUDIT_SHARDS", method: "appendAccepted", from: "object", how: "lose", times: 1 });
    await stores().tokens.issue(issue);
    expect(
      await eventually(
        () => recorded(issue.event),
        (count) => count > 0,
      ),
    ).toBe(1);
    const shard = await sqlOf("TOKEN_SHARDS", String(issue.reference.shard));
    await eventually(
      () => shard.exec("SELECT sequence FROM outbox"),
      (rows) => rows.length === 0,
    );
    expect(await recorded(issue.event)).toBe(1);
  });

  test("8. is told to every lane before a later change of the client is acknowledged", async () => {
    const client = await created();
    const lane = String(laneShards(client.clientId)[5]);
    await it.set({ binding: "TOKEN_SHARDS", method: "addTombstones", name: lane, how: "refuse" });
    await expect(revoke(client)).rejects.toThrow("not every token shard knows it yet");
    const add = () => stores().apiClients.addKeyPair(client, keyPair(), event(client));
    await expect(add()).rejects.toThrow("not every token shard knows it yet");
    await it.set();
    expect((await add()).outcome).toBe("done");
    expect(await issues(client)).toEqual(Array.from({ length: 24 }, () => KEY_REVOKED));
  });

  test("8. may be told twice and in another order: a lane keeps what it knows", async () => {
    const client = await created();
    const keyPairId = client.keyPairs[0]?.keyPairId ?? "";
    const [first = 0] = laneShards(client.clientId);
    await it.set({ binding: "TOKEN_SHARDS", method: "addTombstones", name: String(first), how: "lose", times: 1 });
    await expect(revoke(client)).rejects.toThrow("not every token shard knows it yet");
    expect((await revoke(client)).outcome).toBe("done");
    expect((await stores().apiClients.delete(client, { revokeTokens: false }, event(client))).outcome).toBe("done");
    const lane = await sqlOf("TOKEN_SHARDS", String(first));
    const rows = await lane.exec(
      "SELECT id FROM tombstones WHERE id IN (?, ?)",
      `key/${keyPairId}`,
      `client/${client.clientId}`,
    );
    expect(rows).toHaveLength(2);
  });

  test("carries to every lane when it ends, and nothing when nothing was taken away", async () => {
    const client = await created();
    const at = Date.now();
    const { apiClients } = stores();
    expect((await apiClients.update(client, { scopes: ["books:read"] }, at, event(client))).outcome).toBe("done");
    expect((await apiClients.update(client, { name: "Renamed" }, at, event(client))).outcome).toBe("done");
    for (const shard of laneShards(client.clientId)) {
      const lane = await sqlOf("TOKEN_SHARDS", String(shard));
      const rows = await lane.exec("SELECT id, expires_at FROM tombstones WHERE instr(id, ?) > 0", client.clientId);
      expect(rows).toEqual([{ id: `grant/${client.clientId}/1`, expires_at: at + 24 * 60 * MINUTE }]);
    }
  });

  test("a refused change sets no alarm", async () => {
    const client = await created();
    const used = tokenIssue(client, { assertionId: "once" });
    await stores().tokens.issue(used);
    await it.counted();
    const again = { ...tokenIssue(client, { assertionId: "once" }) };
    expect((await stores().tokens.issue(again)).outcome).toBe("refused");
    const target = { ...client, expectedRevision: 99 };
    const change = await stores().apiClients.update(target, { name: "Renamed" }, Date.now(), event(client));
    expect(change.outcome).toBe("stale");
    const { rows } = await it.counted();
    expect(Object.entries(rows).filter(([label]) => label.endsWith("setAlarm"))).toEqual([]);
  });
});
