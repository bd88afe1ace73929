import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { KeySet, SigningKeyRecord, SigningKeys } from "../../../lib/stores/signing-keys.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { toItem } from "./items.ts";
import { signingKeysKey } from "./keys.ts";
import { readRecord } from "./reads.ts";
import { transact } from "./writes.ts";

const NONE: KeySet = { revision: 0, keys: [] };

/** The region's signing keys, one item in the records table. */
export function dynamoSigningKeys(database: Database, audit: AuditWriter): SigningKeys {
  return {
    read: async () => (await readRecord<KeySet>(database, "records", signingKeysKey)) ?? NONE,
    replace: (expectedRevision, keys, event) => replace(database, audit, expectedRevision, keys, event),
  };
}

async function replace(
  database: Database,
  audit: AuditWriter,
  expectedRevision: number,
  keys: readonly SigningKeyRecord[],
  event: AuditEvent,
): Promise<boolean> {
  const failed = await transact(database, {
    keys: {
      Put: {
        TableName: database.tables.records,
        Item: toItem(signingKeysKey, { revision: expectedRevision + 1, keys }),
        ...(expectedRevision === 0
          ? { ConditionExpression: "attribute_not_exists(pk)" }
          : {
              ConditionExpression: "revision = :expected",
              ExpressionAttributeValues: { ":expected": { N: String(expectedRevision) } },
            }),
      },
    },
    event: await audit.write(event),
  });
  return failed.size === 0;
}
