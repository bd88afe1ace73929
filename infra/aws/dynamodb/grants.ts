import type { JsonObject } from "../../../lib/kernel/json.ts";
import type { Grants, InteractionRecord } from "../../../lib/stores/grants.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { authorizationCodes } from "./authorization-codes.ts";
import { readChain } from "./chains.ts";
import { consents } from "./consents.ts";
import type { Database } from "./database.ts";
import { keyAttributes, toItem } from "./items.ts";
import { interactionKey } from "./keys.ts";
import { readRecord } from "./reads.ts";
import { refreshTokens } from "./refresh-tokens.ts";
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
