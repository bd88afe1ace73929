import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { hex } from "../../../lib/kernel/encoding.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { PasskeyRecord, Passkeys, PasskeyUse } from "../../../lib/stores/passkeys.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes, toItem } from "./items.ts";
import { passkeyKey, passkeyListKey, passkeyListPartition } from "./keys.ts";
import { readItems, readRange, readRecord } from "./reads.ts";
import { conditional, putNew, transact } from "./writes.ts";

/** DynamoDB reads so many at a time; few people have more than a handful. */
const PAGE_SIZE = 100;

/** `nonce` names the last use that counted. */
type ItemOfPasskey = PasskeyRecord & { readonly nonce?: string };

/** People's passkeys in the records table, each found by its credential id and through the list of its person. */
export function dynamoPasskeys(database: Database, audit: AuditWriter): Passkeys {
  return {
    addPasskey: (passkey, event) => addPasskey(database, audit, passkey, event),
    async getPasskey(credentialId) {
      const item = await readRecord<ItemOfPasskey>(database, "records", passkeyKey(credentialId));
      return item && recordOf(item);
    },
    listPasskeys: (userId) => listPasskeys(database, userId),
    notePasskeyUse: (use) => notePasskeyUse(database, use),
    removePasskey: (userId, credentialId, event) => removePasskey(database, audit, userId, credentialId, event),
  };
}

async function addPasskey(
  database: Database,
  audit: AuditWriter,
  passkey: PasskeyRecord,
  event: AuditEvent,
): Promise<boolean> {
  const { credentialId, userId } = passkey;
  const failed = await transact(database, {
    passkey: putNew(database, passkeyKey(credentialId), passkey),
    listing: {
      Put: { TableName: database.tables.records, Item: toItem(passkeyListKey(userId, credentialId), { credentialId }) },
    },
    event: await audit.write(event),
  });
  return failed.size === 0;
}

async function listPasskeys(database: Database, userId: string): Promise<readonly PasskeyRecord[]> {
  const range = { table: "records", direction: "ascending", pageSize: PAGE_SIZE } as const;
  const listed: string[] = [];
  for await (const item of readRange(database, { ...range, partition: passkeyListPartition(userId) })) {
    listed.push(fromItem<{ credentialId: string }>(item).credentialId);
  }
  // A passkey that was removed between the two reads is left out, also when another person has it now.
  const passkeys = (await readItems(database, "records", listed.map(passkeyKey)))
    .map((item) => recordOf(fromItem<ItemOfPasskey>(item)))
    .filter((passkey) => passkey.userId === userId);
  return passkeys.sort((one, other) => one.createdAt - other.createdAt);
}

/** Without a transaction, in which uses of one passkey at a time would meet: the nonce tells what the SDK repeats. */
async function notePasskeyUse(database: Database, use: PasskeyUse): Promise<boolean> {
  const nonce = hex(database.random.bytes(16));
  const result = await conditional(database, () =>
    database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.records,
        Key: keyAttributes(passkeyKey(use.credentialId)),
        UpdateExpression: "SET #counter = :counter, backedUp = :backedUp, lastUsedAt = :usedAt, nonce = :nonce",
        ConditionExpression: "#counter = :former",
        ExpressionAttributeNames: { "#counter": "counter" },
        ExpressionAttributeValues: {
          ":former": { N: String(use.formerCounter) },
          ":counter": { N: String(use.counter) },
          ":backedUp": { BOOL: use.backedUp },
          ":usedAt": { N: String(use.usedAt) },
          ":nonce": { S: nonce },
        },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    ),
  );
  return result.met || result.failure.Item?.nonce?.S === nonce;
}

async function removePasskey(
  database: Database,
  audit: AuditWriter,
  userId: string,
  credentialId: string,
  event: AuditEvent,
): Promise<boolean> {
  const TableName = database.tables.records;
  const failed = await transact(database, {
    passkey: {
      Delete: {
        TableName,
        Key: keyAttributes(passkeyKey(credentialId)),
        ConditionExpression: "userId = :userId",
        ExpressionAttributeValues: { ":userId": { S: userId } },
      },
    },
    listing: { Delete: { TableName, Key: keyAttributes(passkeyListKey(userId, credentialId)) } },
    event: await audit.write(event),
  });
  return failed.size === 0;
}

function recordOf({ nonce: _, ...passkey }: ItemOfPasskey): PasskeyRecord {
  return passkey;
}
