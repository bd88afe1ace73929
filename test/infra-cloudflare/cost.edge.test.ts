import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditDay } from "../../lib/audit/sharding.ts";
import { laneShards } from "../../lib/authorization-server/tokens/sharding.ts";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import { AUDIT_SUM_SLOT } from "../../lib/stores/audit-log.ts";
import { auditEvent, tokenIssue } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";
import { type OpenFaultyProduct, openFaultyProduct } from "./support/faulty.ts";
import {
  assertionOf,
  CONFIGURATION,
  clientWith,
  present,
  type SigningKey,
  signingKey,
  VARIABLES,
} from "./support/token-requests.ts";

/** Everything is billed by calls of objects, reads of KV and written rows. */
describe("what a token request costs on Cloudflare with warm caches", () => {
  let it: OpenFaultyProduct;
  let key: SigningKey;
  let client: ApiClientRecord;
  const startedAt = Date.now();
  beforeAll(async () => {
    it = await openFaultyProduct(CONFIGURATION, VARIABLES);
    key = await signingKey();
    client = clientWith([key]);
    await it.stores("owner").apiClients.create(client, auditEvent({ organizationId: client.organizationId }));
  });
  afterAll(() => it.close());

  let issued = 0;
  const present200 = async (assertion: string, isolate: string) => {
    const fetchToken = (path: string, init: RequestInit) => it.worker.fetch(path, init as never) as never;
    expect((await present(fetchToken, assertion, isolate)).status).toBe(200);
    issued += 1;
  };
  const storage = (binding: string, name: string) => it.worker.getDurableObjectStorage(binding, { name });
  /** The records of tokens, in all audit shards of the client's organization today and, around midnight, tomorrow. */
  const recorded = async () => {
    const days = [0, 1].map((day) => auditDay(startedAt + day * 86_400_000));
    const names = days.flatMap((day) => [0, 1, 2, 3].map((shard) => `${client.organizationId}#${day}#${shard}`));
    const counts = names.map(async (name) => {
      const rows = await (await storage("AUDIT_SHARDS", name)).exec(
        "SELECT COUNT(*) AS count FROM audit_events WHERE type = 'token.issued'",
      );
      return Number(rows[0]?.count);
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };
  const delivered = () => eventually(recorded, (count) => count === issued);

  const costOfOne = async () => {
    // Until every lane and audit shard of the client lives, has its alarm set, and a sum of these five minutes.
    for (let i = 0; i < 60; i++) await present200(await assertionOf(client, key), "one");
    await delivered();
    const assertion = await assertionOf(client, key);
    await it.counted();
    await present200(assertion, "one");
    await delivered();
    return it.counted();
  };
  const slot = () => Math.floor(Date.now() / AUDIT_SUM_SLOT);

  test("one call that it waits for, one after it, no read of KV or the registry, and twelve rows", async () => {
    const before = slot();
    const first = await costOfOne();
    // The first record of other five minutes begins a sum.
    const { calls, rows } = slot() === before ? first : await costOfOne();
    expect(calls).toEqual(["TOKEN_SHARDS.issue", "AUDIT_SHARDS.appendAccepted"]);
    const written = Object.fromEntries(Object.entries(rows).filter(([label, count]) => count > 0 && !isSeldom(label)));
    expect(written).toEqual({
      "TokenShard: INSERT INTO single_use": 2,
      "TokenShard: INSERT INTO tokens": 3,
      "TokenShard: INSERT INTO outbox": 3,
      // With the sum of its five minutes.
      "AuditShard: INSERT INTO audit_events": 3,
    });
  });

  test("an event that arrived is forgotten in the commit of the shard's next token", async () => {
    const [shard = 0] = laneShards(client.clientId);
    const outbox = await storage("TOKEN_SHARDS", String(shard));
    for (let i = 0; i < 3; i++) {
      const issue = tokenIssue(client, { assertionId: `again-${i}` });
      await it.stores().tokens.issue({ ...issue, reference: { ...issue.reference, shard } });
      // The shard's alarm may have come first, and forgotten this one as well.
      expect((await outbox.exec("SELECT sequence FROM outbox")).length).toBeLessThanOrEqual(1);
      issued += 1;
      await delivered();
    }
  });

  test("an isolate that does not know the client yet reads KV once, and tells the use of the key at most once an hour", async () => {
    await it.counted();
    for (let i = 0; i < 10; i++) await present200(await assertionOf(client, key), "two");
    await delivered();
    const { calls } = await it.counted();
    const count = (call: string) => calls.filter((name) => name === call).length;
    expect(count("CLIENTS.get")).toBe(1);
    expect(count("REGISTRY.verificationRecord")).toBe(0);
    expect(count("REGISTRY.recordKeyPairUse")).toBeLessThanOrEqual(1);
    expect(count("TOKEN_SHARDS.issue")).toBe(10);
  });

  test("a burst of requests waits for one call each, and their records travel together", async () => {
    const assertions = await Promise.all(Array.from({ length: 200 }, () => assertionOf(client, key)));
    await it.counted();
    await Promise.all(assertions.map((assertion) => present200(assertion, "one")));
    await delivered();
    const { calls } = await it.counted();
    expect(calls.filter((call) => call === "TOKEN_SHARDS.issue")).toHaveLength(200);
    expect(calls.filter((call) => call === "AUDIT_SHARDS.appendAccepted").length).toBeLessThan(190);
  });
});

/** Once in ten seconds a shard sets its alarm, which may be now. What arrived before is forgotten now or by that alarm. */
function isSeldom(label: string): boolean {
  return label.endsWith(": setAlarm") || label === "TokenShard: DELETE FROM outbox";
}
