import { PutItemCommand, type TransactWriteItem, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { causeOf } from "../../../lib/logging/cause.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import {
  type ConsentClients,
  type ConsentRecord,
  type GrantRecord,
  type Grants,
  USE_NOTED_EVERY,
  widenedConsent,
} from "../../../lib/stores/grants.ts";
import type { Page, PageRequest } from "../../../lib/stores/paging.ts";
import { tombstoneId } from "../../../lib/stores/tombstone.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { untilUncontended } from "./backoff.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes, toItem } from "./items.ts";
import { consentKey, consentListKey, consentListPartition, consentPartition } from "./keys.ts";
import { decodeCursor, encodeCursor, readItems, readRange, readRecord } from "./reads.ts";
import { tombstoneWrite, unlessEnded } from "./tombstones.ts";
import { conditional, putNew, transact } from "./writes.ts";

/** Items that DynamoDB reads at a time, and entries of the list that one page looks at. */
const PAGE_SIZE = 100;
const MOST_LOOKED_AT = 1_000;
/** Sort keys of the list. */
const LISTED = /^[!-~]{1,512}$/;

/** Counts the changes of a consent, by which each finds out whether it meets another. */
type ItemOfConsent = ConsentRecord & { readonly revision: number };

/**
 * What people allowed clients, one item for the two in the records table, and an entry in the list of all. One that is revoked is gone,
 * and its id dead. The item decides: an entry may be left without one, and is looked up.
 */
export function consents(
  database: Database,
  audit: AuditWriter,
): Pick<Grants, "consent" | "giveConsent" | "revokeConsent" | "consentsOf" | "consentsTo"> {
  return {
    async consent(subject, clientId) {
      const item = await readConsent(database, subject, clientId);
      return item && recordOf(item);
    },
    giveConsent: (consent, event) => giveConsent(database, audit, consent, event),
    revokeConsent: (subject, clientId, event) => revokeConsent(database, audit, subject, clientId, event),
    consentsOf: async (subjects) => (await Promise.all(subjects.map((one) => consentsOf(database, one)))).flat(),
    consentsTo: (to, page) => consentsTo(database, to, page),
  };
}

/**
 * Notes that a client got a token that rests on the consent. Consents of releases that had no list of them enter it here. Never
 * rejects: the token is there already, and the next one notes its use. The log says that it failed.
 */
export async function noteConsentUse(
  database: Database,
  { subject, subjectName, clientId, consentId }: GrantRecord,
  now: number,
): Promise<void> {
  const TableName = database.tables.records;
  try {
    const noted = await conditional(database, () =>
      database.client.send(
        new UpdateItemCommand({
          TableName,
          Key: keyAttributes(consentKey(subject, clientId)),
          UpdateExpression:
            subjectName === undefined ? "SET lastUsedAt = :now" : "SET lastUsedAt = :now, subjectName = :name",
          ConditionExpression: "consentId = :id AND (attribute_not_exists(lastUsedAt) OR lastUsedAt <= :before)",
          ExpressionAttributeValues: {
            ":now": { N: String(now) },
            ":id": { S: consentId },
            ":before": { N: String(now - USE_NOTED_EVERY) },
            ...(subjectName !== undefined && { ":name": { S: subjectName } }),
          },
          ReturnValues: "UPDATED_OLD",
        }),
      ),
    );
    if (!noted.met || noted.output.Attributes?.lastUsedAt !== undefined) return;
    await database.client.send(new PutItemCommand({ TableName, Item: listItem(subject, clientId) }));
  } catch (cause) {
    database.logger?.warn("the use of a consent was not noted", { consentId, cause: causeOf(cause) });
  }
}

/** One that comes again after it was given and taken back is not given anew: no chain can rest on its id. */
function giveConsent(
  database: Database,
  audit: AuditWriter,
  given: ConsentRecord,
  event: AuditEvent,
): Promise<ConsentRecord> {
  return untilUncontended<ConsentRecord>(database.random, async () => {
    const found = await readConsent(database, given.subject, given.clientId);
    const kept = found === undefined ? given : widenedConsent(recordOf(found), given);
    if (kept === undefined) return found && recordOf(found);
    const failed = await transact(database, {
      idIsAlive: unlessEnded(database, tombstoneId.consent(given.consentId)),
      consent: consentWrite(database, found, kept),
      listed:
        found === undefined
          ? { Put: { TableName: database.tables.records, Item: listItem(kept.subject, kept.clientId) } }
          : undefined,
      event: await audit.write(event),
    });
    if (failed.has("idIsAlive")) return given;
    return failed.size === 0 ? kept : undefined;
  });
}

function revokeConsent(
  database: Database,
  audit: AuditWriter,
  subject: string,
  clientId: string,
  event: AuditEvent,
): Promise<boolean> {
  return untilUncontended<boolean>(database.random, async () => {
    const found = await readConsent(database, subject, clientId);
    if (found === undefined) return false;
    const failed = await transact(database, {
      consent: {
        Delete: {
          TableName: database.tables.records,
          Key: keyAttributes(consentKey(subject, clientId)),
          ConditionExpression: "consentId = :read",
          ExpressionAttributeValues: { ":read": { S: found.consentId } },
        },
      },
      unlisted: {
        Delete: { TableName: database.tables.records, Key: keyAttributes(consentListKey(subject, clientId)) },
      },
      tombstone: tombstoneWrite(database, { id: tombstoneId.consent(found.consentId) }),
      event: await audit.write(event),
    });
    return failed.size === 0 ? true : undefined;
  });
}

function consentWrite(database: Database, read: ItemOfConsent | undefined, next: ConsentRecord): TransactWriteItem {
  const key = consentKey(next.subject, next.clientId);
  if (read === undefined) return putNew(database, key, { ...next, revision: 1 });
  return {
    Put: {
      TableName: database.tables.records,
      Item: toItem(key, { ...next, revision: read.revision + 1 }),
      ConditionExpression: "consentId = :id AND revision = :read",
      ExpressionAttributeValues: { ":id": { S: read.consentId }, ":read": { N: String(read.revision) } },
    },
  };
}

function readConsent(database: Database, subject: string, clientId: string): Promise<ItemOfConsent | undefined> {
  return readRecord<ItemOfConsent>(database, "records", consentKey(subject, clientId));
}

function recordOf({ revision: _, ...consent }: ItemOfConsent): ConsentRecord {
  return consent;
}

function listItem(subject: string, clientId: string) {
  return toItem(consentListKey(subject, clientId), { subject, clientId } satisfies Listed);
}

type Listed = Pick<ConsentRecord, "subject" | "clientId">;

async function consentsOf(database: Database, subject: string): Promise<readonly ConsentRecord[]> {
  const range = { table: "records", direction: "ascending", pageSize: PAGE_SIZE } as const;
  const found: ConsentRecord[] = [];
  for await (const item of readRange(database, { ...range, partition: consentPartition(subject) }))
    found.push(recordOf(fromItem<ItemOfConsent>(item)));
  return found;
}

/** Looks at so many entries at most: where few are to these clients, a page is short. */
async function consentsTo(
  database: Database,
  { isAllBut, clients }: ConsentClients,
  { limit, cursor }: PageRequest,
): Promise<Page<ConsentRecord>> {
  const after = decodeCursor(cursor, LISTED);
  const range = {
    ...({ table: "records", partition: consentListPartition, direction: "ascending", pageSize: PAGE_SIZE } as const),
    ...(after !== undefined && { after }),
  };
  const listed: Listed[] = [];
  let [last, looked] = ["", 0];
  let hasMore = false;
  for await (const item of readRange(database, range)) {
    const entry = fromItem<Listed>(item);
    if (listed.length === limit || looked === MOST_LOOKED_AT) {
      hasMore = true;
      break;
    }
    looked += 1;
    last = item.sk?.S as string;
    if (clients.includes(entry.clientId) !== isAllBut) listed.push(entry);
  }
  const items = await lookedUp(database, listed);
  return hasMore ? { items, nextCursor: encodeCursor(last) } : { items };
}

async function lookedUp(database: Database, listed: readonly Listed[]): Promise<readonly ConsentRecord[]> {
  const keys = listed.map(({ subject, clientId }) => consentKey(subject, clientId));
  return (await readItems(database, "records", keys)).map((item) => recordOf(fromItem<ItemOfConsent>(item)));
}
