import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { laneShards } from "../../lib/authorization-server/tokens/sharding.ts";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import { auditEvent } from "../contract/records.ts";
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
  beforeAll(async () => {
    it = await openFaultyProduct(CONFIGURATION, VARIABLES);
    key = await signingKey();
    client = clientWith([key]);
    await it.stores("owner").apiClients.create(client, auditEvent({ organizationId: client.organizationId }));
  });
  afterAll(() => it.close());

  const present200 = async (assertion: string, isolate: string) => {
    const fetchToken = (path: string, init: RequestInit) => it.worker.fetch(path, init as never) as never;
    expect((await present(fetchToken, assertion, isolate)).status).toBe(200);
  };
  const isDelivered = async () => {
    const outboxes = await Promise.all(
      laneShards(client.clientId).map(async (shard) => {
        const sql = await it.worker.getDurableObjectStorage("TOKEN_SHARDS", { name: String(shard) });
        return sql.exec("SELECT sequence FROM outbox");
      }),
    );
    return outboxes.flat().length === 0;
  };
  const delivered = () => eventually(isDelivered, (isDone) => isDone);

  test("one call that it waits for, one after it, no read of KV or the registry, and eleven rows", async () => {
    // Until every lane and audit shard of the client lives and has its alarm set.
    for (let i = 0; i < 60; i++) await present200(await assertionOf(client, key), "one");
    await delivered();
    const assertion = await assertionOf(client, key);
    await it.counted();
    await present200(assertion, "one");
    await delivered();
    const { calls, rows } = await it.counted();
    expect(calls).toEqual(["TOKEN_SHARDS.issue", "AUDIT_SHARDS.appendAccepted"]);
    const written = Object.fromEntries(Object.entries(rows).filter(([label, count]) => count > 0 && !isAlarm(label)));
    expect(written).toEqual({
      "TokenShard: INSERT INTO single_use": 2,
      "TokenShard: INSERT INTO tokens": 3,
      "TokenShard: INSERT INTO outbox": 3,
      "TokenShard: DELETE FROM outbox": 1,
      "AuditShard: INSERT INTO audit_events": 2,
    });
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

/** Once in ten seconds a shard sets its alarm, which may be now. */
function isAlarm(label: string): boolean {
  return label.endsWith(": setAlarm");
}
