import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Clock } from "../../../lib/clock.ts";
import type { Random } from "../../../lib/random.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import { tellingUnavailable } from "../../../lib/stores/unavailable.ts";
import { dynamoApiClients } from "./api-clients.ts";
import { dynamoAuditLog } from "./audit-log.ts";
import { createAuditWriter } from "./audit-writer.ts";
import { dynamoDirectory } from "./directory.ts";
import { isPassing } from "./passing.ts";
import { dynamoSingleUse } from "./single-use.ts";
import type { TableNames } from "./tables.ts";
import { dynamoTokens } from "./tokens.ts";

export interface DynamoOptions {
  readonly client: DynamoDBClient;
  readonly tables: TableNames;
  readonly clock: Clock;
  readonly random: Random;
}

/** Every port of one region on DynamoDB. */
export function dynamoStores({ client, tables, clock, random }: DynamoOptions): Stores {
  const database = { client, tables, random };
  const audit = createAuditWriter(database);
  const stores = {
    apiClients: dynamoApiClients(database, audit),
    tokens: dynamoTokens(database, audit),
    singleUse: dynamoSingleUse(database, clock),
    directory: dynamoDirectory(database, audit),
    auditLog: dynamoAuditLog(database, audit),
  };
  return tellingUnavailable(stores, isPassing);
}
