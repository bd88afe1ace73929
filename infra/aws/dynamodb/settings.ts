import type { JsonObject } from "../../../lib/kernel/json.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { Settings, SettingsRecord } from "../../../lib/stores/settings.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { toItem } from "./items.ts";
import { settingsKey } from "./keys.ts";
import { readRecord } from "./reads.ts";
import { transact } from "./writes.ts";

/** Values are kept as the text they are: JSON has nulls, numbers and depths that attributes have not. */
type ItemOfSettings = Omit<SettingsRecord, "values"> & { readonly values: string };

/** What was set in the Console, one item in the records table. No read is cached. */
export function dynamoSettings(database: Database, audit: AuditWriter): Settings {
  return {
    readSettings: () => readSettings(database),
    replaceSettings: (record, event) => replaceSettings(database, audit, record, event),
  };
}

async function readSettings(database: Database): Promise<SettingsRecord> {
  const item = await readRecord<ItemOfSettings>(database, "records", settingsKey);
  return item === undefined ? { revision: 0, values: {} } : { ...item, values: JSON.parse(item.values) as JsonObject };
}

async function replaceSettings(
  database: Database,
  audit: AuditWriter,
  record: SettingsRecord,
  event: AuditEvent,
): Promise<boolean> {
  const expectedRevision = record.revision - 1;
  const item: ItemOfSettings = { ...record, values: JSON.stringify(record.values) };
  const failed = await transact(database, {
    settings: {
      Put: {
        TableName: database.tables.records,
        Item: toItem(settingsKey, item),
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
