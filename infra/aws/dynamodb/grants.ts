import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import { type ConsentRecord, type Grants, type InteractionRecord, widenedConsent } from "../../../lib/stores/grants.ts";
import { tombstoneId } from "../../../lib/stores/tombstone.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { authorizationCodes } from "./authorization-codes.ts";
import { untilUncontended } from "./backoff.ts";
import { readChain } from "./chains.ts";
import type { Database } from "./database.ts";
import { keyAttributes, toItem } from "./items.ts";
import { consentKey, interactionKey } from "./keys.ts";
import { readRecord } from "./reads.ts";
import { refreshTokens } from "./refresh-tokens.ts";
import { tombstoneWrite, unlessEnded } from "./tombstones.ts";
import { putNew, transact } from "./writes.ts";

/** Sign-ins under way, consents, and the chains that people start, in the records table. */
export function dynamoGrants(database: Database, audit: AuditWriter): Grants {
  return {
    ...interactions(database),
    ...consents(database, audit),
    grant: (chainId, now) => readChain(database, chainId, now),
    ...authorizationCodes(database, audit),
    ...refreshTokens(database, audit),
  };
}

/** The content is kept as the text it is: JSON has nulls, numbers and depths that attributes have not. */
type ItemOfInteraction = Omit<InteractionRecord, "content"> & { readonly content: string };

/**
 * Authorization requests under way, one item each. Single writes, yet each is a transaction: DynamoDB executes those once,
 * so that a step which is repeated because its answer was lost does not meet itself.
 */
export function interactions(database: Database): Pick<Grants, "begin" | "interaction" | "advance" | "finish"> {
  const TableName = database.tables.records;
  return {
    async begin(interaction) {
      const key = interactionKey(interaction.interactionHash);
      // Idempotent: the hash is of random bits that only the request's own caller has.
      await transact(database, { interaction: putNew(database, key, itemOf(interaction), interaction.expiresAt) });
    },
    async interaction(interactionHash, now) {
      const item = await readRecord<ItemOfInteraction>(database, "records", interactionKey(interactionHash));
      if (item === undefined || item.expiresAt <= now) return undefined;
      return { ...item, content: JSON.parse(item.content) as JsonObject };
    },
    async advance(next, now) {
      const Item = toItem(interactionKey(next.interactionHash), itemOf(next), next.expiresAt);
      const failed = await transact(database, { next: { Put: { TableName, Item, ...ifAt(next.revision - 1, now) } } });
      return failed.size === 0;
    },
    async finish(interactionHash, revision, now) {
      const Key = keyAttributes(interactionKey(interactionHash));
      const failed = await transact(database, { last: { Delete: { TableName, Key, ...ifAt(revision, now) } } });
      return failed.size === 0;
    },
  };
}

function itemOf(interaction: InteractionRecord): ItemOfInteraction {
  return { ...interaction, content: JSON.stringify(interaction.content) };
}

/** Lets a write succeed where the interaction is at this revision and unexpired. */
function ifAt(revision: number, now: number) {
  return {
    ConditionExpression: "revision = :revision AND expiresAt > :now",
    ExpressionAttributeValues: { ":revision": { N: String(revision) }, ":now": { N: String(now) } },
  };
}

/** Counts the changes of a consent, by which each finds out whether it meets another. */
type ItemOfConsent = ConsentRecord & { readonly revision: number };

/** What people allowed clients, one item for the two in the records table. One that is revoked is gone, and its id dead. */
export function consents(
  database: Database,
  audit: AuditWriter,
): Pick<Grants, "consent" | "giveConsent" | "revokeConsent"> {
  return {
    async consent(subject, clientId) {
      const item = await readConsent(database, subject, clientId);
      return item && recordOf(item);
    },
    giveConsent: (consent, event) => giveConsent(database, audit, consent, event),
    revokeConsent: (subject, clientId, event) => revokeConsent(database, audit, subject, clientId, event),
  };
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
