import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import type { KeyPairUse } from "../../../lib/stores/api-clients.ts";
import { readClient } from "./client-items.ts";
import { conditional } from "./conditional.ts";
import type { Database } from "./database.ts";
import { keyAttributes, SCHEMA_ATTRIBUTE } from "./items.ts";
import { clientUsesKey } from "./keys.ts";

/**
 * Keeps the hour in the client's item of uses, one attribute a key pair. Reads first, so that ids that nobody has leave
 * nothing and the many requests of one hour write once. A use that meets the client's deletion can leave an item behind
 * that nothing reads.
 */
export async function recordUse(database: Database, { clientId, keyPairId, hour }: KeyPairUse): Promise<void> {
  const client = await readClient(database, clientId);
  const keyPair = client?.keyPairs.find((known) => known.keyPairId === keyPairId);
  if (keyPair === undefined || (keyPair.lastUsedAt ?? -1) >= hour) return;
  await conditional(database, () =>
    database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.records,
        Key: keyAttributes(clientUsesKey(clientId)),
        UpdateExpression: "SET #keyPair = :hour, #schema = :schema",
        ConditionExpression: "attribute_not_exists(#keyPair) OR #keyPair < :hour",
        ExpressionAttributeNames: { "#keyPair": keyPairId, "#schema": SCHEMA_ATTRIBUTE.name },
        ExpressionAttributeValues: { ":hour": { N: String(hour) }, ":schema": SCHEMA_ATTRIBUTE.value },
      }),
    ),
  );
}
