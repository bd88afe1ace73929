import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import { indexStops, type StoppableRecord, stopOf, stopSubject } from "../../../lib/stores/stop-subjects.ts";
import { NO_STOPS, type Stop, type Stops, type StopsRecord, type StopsResult } from "../../../lib/stores/stops.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { type Item, toItem } from "./items.ts";
import { stopRevisionKey, stopsKey } from "./keys.ts";
import { readItems, readRecord } from "./reads.ts";
import { transact } from "./writes.ts";

/** Items that say the revision alone. Each decision on a token reads one of them: one item for all would be too busy. */
export const REVISION_ITEMS = 8;

/** The stops are kept as the text they are. */
interface ItemOfStops {
  readonly revision: number;
  readonly stops: string;
}

/** What is stopped: one item, and some that say its revision. All change in one transaction. */
export function dynamoStops(database: Database, audit: AuditWriter): Stops {
  return {
    readStops: () => currentStops(database),
    replaceStops: (record, event) => replaceStops(database, audit, record, event),
  };
}

/**
 * Whether anything of what one of the records is of is stopped, by the revision that was just read. The document is read where the
 * instance has none of that revision.
 */
export async function isStopped(
  database: Database,
  revision: number,
  of: readonly StoppableRecord[],
): Promise<boolean> {
  if (revision === 0) return false;
  const copy = database.stops;
  if (copy.record.revision < revision) await readCopy(database);
  return of.some((record) => stopOf(copy.index, stopSubject(record)) !== undefined);
}

/** Of an item that says the revision; 0 where it is none. */
export function revisionOf(item: Item | undefined): number {
  return Number(item?.stopsRevision?.N ?? 0);
}

/** The document itself is large, and every instance asks for it again and again: mostly its revision tells that nothing changed. */
async function currentStops(database: Database): Promise<StopsRecord> {
  const [byte = 0] = database.random.bytes(1);
  const [item] = await readItems(database, "records", [stopRevisionKey(byte % REVISION_ITEMS)]);
  const { record } = database.stops;
  return revisionOf(item) === record.revision ? record : readCopy(database);
}

/** Never goes back to an older one. */
async function readCopy(database: Database): Promise<StopsRecord> {
  const copy = database.stops;
  const read = await readStops(database);
  if (copy.record.revision < read.revision) {
    copy.record = read;
    copy.index = indexStops(read.stops);
  }
  return copy.record;
}

async function readStops(database: Database): Promise<StopsRecord> {
  const item = await readRecord<ItemOfStops>(database, "records", stopsKey);
  if (item === undefined) return NO_STOPS;
  return { revision: item.revision, stops: JSON.parse(item.stops) as readonly Stop[] };
}

async function replaceStops(
  database: Database,
  audit: AuditWriter,
  { revision, stops }: StopsRecord,
  event: AuditEvent,
): Promise<StopsResult> {
  const TableName = database.tables.records;
  const item: ItemOfStops = { revision, stops: JSON.stringify(stops) };
  const revisions = Array.from({ length: REVISION_ITEMS }, (_, number) => [
    `revision ${number}`,
    { Put: { TableName, Item: toItem(stopRevisionKey(number), { stopsRevision: revision }) } },
  ]);
  const failed = await transact(database, {
    stops: {
      Put: {
        TableName,
        Item: toItem(stopsKey, item),
        ...(revision === 1
          ? { ConditionExpression: "attribute_not_exists(pk)" }
          : {
              ConditionExpression: "revision = :expected",
              ExpressionAttributeValues: { ":expected": { N: String(revision - 1) } },
            }),
      },
    },
    ...Object.fromEntries(revisions),
    event: await audit.write(event),
  });
  return failed.size === 0 ? "done" : "stale";
}
