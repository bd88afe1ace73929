import { DeleteItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import { NO_PINS, type PinnedDefinition, type Pins, type PinsKey, type PinsRecord } from "../../../lib/stores/pins.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes, toItem } from "./items.ts";
import { pinsKey, toolDefinitionKey } from "./keys.ts";
import { readItems, readRecord } from "./reads.ts";
import { transact } from "./writes.ts";

/** The tools of a record are kept as the text they are. */
interface ItemOfPins extends Omit<PinsRecord, "tools"> {
  readonly tools: string;
}

/** Pins in the records table: one item for each app, and one for each text. No read is cached. */
export function dynamoPins(database: Database, audit: AuditWriter): Pins {
  const TableName = database.tables.records;
  return {
    async readPins(key) {
      const item = await readRecord<ItemOfPins>(database, "records", pinsKey(key));
      return item === undefined ? NO_PINS : { ...item, tools: JSON.parse(item.tools) as PinsRecord["tools"] };
    },
    replacePins: (key, record, events) => replacePins(database, audit, key, record, events),
    async keepDefinitions(key, definitions) {
      await Promise.all(
        definitions.map((definition) => {
          const Item = toItem(toolDefinitionKey(key, definition.digest), definition);
          return database.client.send(new PutItemCommand({ TableName, Item }));
        }),
      );
    },
    async definitions(key, digests) {
      const keys = [...new Set(digests)].map((digest) => toolDefinitionKey(key, digest));
      return (await readItems(database, "records", keys)).map((item) => fromItem<PinnedDefinition>(item));
    },
    async dropDefinitions(key, digests) {
      await Promise.all(
        digests.map((digest) => {
          const Key = keyAttributes(toolDefinitionKey(key, digest));
          return database.client.send(new DeleteItemCommand({ TableName, Key }));
        }),
      );
    },
  };
}

async function replacePins(
  database: Database,
  audit: AuditWriter,
  key: PinsKey,
  record: PinsRecord,
  events: readonly AuditEvent[],
): Promise<boolean> {
  const expectedRevision = record.revision - 1;
  const item: ItemOfPins = { ...record, tools: JSON.stringify(record.tools) };
  const written = await Promise.all(events.map((event) => audit.write(event)));
  const failed = await transact(database, {
    pins: {
      Put: {
        TableName: database.tables.records,
        Item: toItem(pinsKey(key), item),
        ...(expectedRevision === 0
          ? { ConditionExpression: "attribute_not_exists(pk)" }
          : {
              ConditionExpression: "revision = :expected",
              ExpressionAttributeValues: { ":expected": { N: String(expectedRevision) } },
            }),
      },
    },
    ...Object.fromEntries(written.map((write, number) => [`event ${number}`, write])),
  });
  return failed.size === 0;
}
