import { DatabaseSync } from "node:sqlite";
import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { toAttributes } from "../../infra/aws/dynamodb/items.ts";
import { dynamoStores } from "../../infra/aws/dynamodb/stores.ts";
import { type NodeSqlDatabase, nodeSqlDatabase } from "../../infra/node/sqlite/database.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import {
  findApiClient,
  readVerificationRecord,
  recordKeyPairUse,
  updateApiClient,
} from "../../lib/stores/sql/api-clients.ts";
import { localEffects } from "../../lib/stores/sql/effects.ts";
import { migrate } from "../../lib/stores/sql/migrate.ts";
import { registryMigrations } from "../../lib/stores/sql/migrations/registry.ts";
import { allMigrations } from "../../lib/stores/sql/stores.ts";
import { issueToken } from "../../lib/stores/sql/tokens.ts";
import { apiClient, auditEvent, tokenIssue } from "../contract/records.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";

const HOUR = 60 * 60_000;

describe("a registry that a release of schema version 1 works on too", () => {
  let db: NodeSqlDatabase;
  const upgrade = () => migrate(db, allMigrations);
  beforeEach(() => {
    db = nodeSqlDatabase(new DatabaseSync(":memory:"));
    const [first] = registryMigrations.migrations;
    if (first === undefined) throw new Error("there is no first migration");
    migrate(db, [{ ...registryMigrations, migrations: [first] }]);
  });
  afterEach(() => db.close());

  test("clients from before the migration have the first grant revision and keys that were never used", () => {
    const client = apiClient();
    insertAsVersion1(db, client);
    upgrade();
    expect(findApiClient(db, client.clientId)).toEqual(client);
    expect(readVerificationRecord(db, client.clientId)?.grantRevision).toBe(1);
  });

  test("clients that the former release adds after the migration are alike", () => {
    upgrade();
    const client = apiClient();
    insertAsVersion1(db, client);
    expect(findApiClient(db, client.clientId)).toEqual(client);
    recordKeyPairUse(db, { clientId: client.clientId, keyPairId: idOfFirst(client), hour: HOUR });
    expect(findApiClient(db, client.clientId)?.keyPairs[0]?.lastUsedAt).toBe(HOUR);
  });

  test("an edit by the former release keeps uses and grant revision; the next one of this release ends that revision", () => {
    upgrade();
    const client = apiClient();
    insertAsVersion1(db, client);
    recordKeyPairUse(db, { clientId: client.clientId, keyPairId: idOfFirst(client), hour: HOUR });
    const taken = ["audit:read"];
    db.run(
      "UPDATE api_clients SET name = ?, description = ?, scopes = ?, resources = ?, updated_at = ?, revision = ? WHERE client_id = ?",
      client.name,
      null,
      JSON.stringify(taken),
      JSON.stringify(client.resources),
      client.updatedAt,
      2,
      client.clientId,
    );
    const edited = findApiClient(db, client.clientId) as ApiClientRecord;
    expect(edited).toMatchObject({ scopes: taken, revision: 2, grantRevision: 1, keyPairs: [{ lastUsedAt: HOUR }] });
    // As in the former release: who read the client before may still issue on it.
    expect(issueToken(db, localEffects(db), tokenIssue(client))).toEqual({ outcome: "issued" });
    updateApiClient(db, localEffects(db), client, { scopes: [] }, Date.now(), auditEvent());
    for (const record of [client, edited]) {
      expect(issueToken(db, localEffects(db), tokenIssue(record))).toEqual({ outcome: "grant_changed" });
    }
  });
});

describe("a table that a release without grant revisions works on too", () => {
  let dynamo: RunningDynamo;
  beforeAll(async () => {
    dynamo = await joinDynamo();
  });
  afterAll(() => dynamo.stop());

  test("its clients have the first grant revision, from which changes count on, and their uses are kept", async () => {
    const client = dynamo.client();
    const tables = await dynamo.createTables();
    const { apiClients } = dynamoStores({ client, tables, clock: systemClock, random: webCryptoRandom });
    const record = apiClient();
    const { clientId, organizationId } = record;
    const { grantRevision: _, ...formerRecord } = record;
    const Item = { ...toAttributes({ ...formerRecord, v: 1 }), pk: { S: `client#${clientId}` }, sk: { S: "client" } };
    await client.send(new PutItemCommand({ TableName: tables.records, Item }));
    expect(await apiClients.get(organizationId, clientId)).toEqual(record);
    await apiClients.recordUse({ clientId, keyPairId: idOfFirst(record), hour: HOUR });
    // Whatever the former release writes, it writes this one item.
    await client.send(new PutItemCommand({ TableName: tables.records, Item }));
    const { record: read } = await apiClients.getForVerification(clientId);
    expect(read).toMatchObject({ grantRevision: 1, keyPairs: [{ lastUsedAt: HOUR }] });
    const result = await apiClients.update(record, { scopes: [] }, Date.now(), auditEvent());
    expect(result).toMatchObject({ outcome: "done", value: { revision: 2, grantRevision: 2 } });
    client.destroy();
  });
});

/** With the statements of the release that had version 1. */
function insertAsVersion1(db: NodeSqlDatabase, client: ApiClientRecord): void {
  db.run(
    `INSERT INTO api_clients
       (client_id, organization_id, name, description, scopes, resources, created_at, updated_at, revision, schema)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`,
    client.clientId,
    client.organizationId,
    client.name,
    client.description ?? null,
    JSON.stringify(client.scopes),
    JSON.stringify(client.resources),
    client.createdAt,
    client.updatedAt,
    client.revision,
  );
  for (const keyPair of client.keyPairs) {
    db.run(
      `INSERT INTO key_pairs (key_pair_id, client_id, fingerprint, public_key, status, created_at, revoked_at, schema)
       VALUES (?, ?, ?, ?, ?, ?, NULL, 1)`,
      keyPair.keyPairId,
      client.clientId,
      keyPair.fingerprint,
      JSON.stringify(keyPair.publicKey),
      keyPair.status,
      keyPair.createdAt,
    );
  }
}

function idOfFirst({ keyPairs }: ApiClientRecord): string {
  return keyPairs[0]?.keyPairId ?? "";
}
