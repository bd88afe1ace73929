import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Clock } from "../../../lib/clock.ts";
import type { Random } from "../../../lib/random.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import { tellingUnavailable } from "../../../lib/stores/unavailable.ts";
import { dynamoApiClients } from "./api-clients.ts";
import { dynamoAuditLog } from "./audit-log.ts";
import { createAuditWriter } from "./audit-writer.ts";
import { dynamoDirectory } from "./directory.ts";
import { dynamoGrants } from "./grants.ts";
import { sweepSessions } from "./mcp-session-sweep.ts";
import { dynamoMcpSessions } from "./mcp-sessions.ts";
import { isPassing } from "./passing.ts";
import { dynamoRegisteredClients } from "./registered-clients.ts";
import { dynamoSigningKeys } from "./signing-keys.ts";
import { dynamoSingleUse } from "./single-use.ts";
import type { TableNames } from "./tables.ts";
import { dynamoTokens } from "./tokens.ts";

export interface DynamoOptions {
  readonly client: DynamoDBClient;
  readonly tables: TableNames;
  readonly clock: Clock;
  readonly random: Random;
}

export interface DynamoStores extends Stores {
  /** Ends some of the agents' sessions that have expired, with their records. True when there may be more (D73). */
  readonly sweepSessions: () => Promise<boolean>;
}

/** Every port of one region on DynamoDB. */
export function dynamoStores({ client, tables, clock, random }: DynamoOptions): DynamoStores {
  const database = { client, tables, random };
  const audit = createAuditWriter(database);
  const stores = {
    apiClients: dynamoApiClients(database, audit),
    tokens: dynamoTokens(database, audit),
    grants: dynamoGrants(database, audit),
    registeredClients: dynamoRegisteredClients(database, audit),
    signingKeys: dynamoSigningKeys(database, audit),
    singleUse: dynamoSingleUse(database, clock),
    directory: dynamoDirectory(database, audit),
    auditLog: dynamoAuditLog(database, audit),
    mcpSessions: dynamoMcpSessions(database, audit),
  };
  return {
    ...tellingUnavailable(stores, isPassing),
    sweepSessions: () => sweepSessions(database, audit, clock.now()),
  };
}
