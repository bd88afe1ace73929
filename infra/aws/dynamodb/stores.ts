import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Clock } from "../../../lib/kernel/clock.ts";
import type { Random } from "../../../lib/kernel/random.ts";
import type { Logger } from "../../../lib/logging/logger.ts";
import { NO_STOPS } from "../../../lib/stores/stops.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import { tellingUnavailable } from "../../../lib/stores/unavailable.ts";
import { dynamoApiClients } from "./api-clients.ts";
import { sweepApprovals } from "./approval-sweep.ts";
import { dynamoApprovals } from "./approvals.ts";
import { sweepAuditCounts } from "./audit-counts.ts";
import { dynamoAuditLog } from "./audit-log.ts";
import { createAuditWriter } from "./audit-writer.ts";
import { dynamoConnections } from "./connections.ts";
import { dynamoDeployments } from "./deployments.ts";
import { dynamoDirectory } from "./directory.ts";
import { sweepDisconnected } from "./disconnect.ts";
import { sweepForgotten } from "./forget.ts";
import { dynamoGrants } from "./grants.ts";
import { dynamoIdentities } from "./identities.ts";
import { dynamoInvitations } from "./invitations.ts";
import { dynamoLimits } from "./limits.ts";
import { sweepSessions } from "./mcp-session-sweep.ts";
import { dynamoMcpSessions } from "./mcp-sessions.ts";
import { dynamoMembers } from "./members.ts";
import { organizationSweep } from "./organization-count.ts";
import { isPassing } from "./passing.ts";
import { dynamoPasskeys } from "./passkeys.ts";
import { dynamoPins } from "./pins.ts";
import { dynamoRegisteredClients } from "./registered-clients.ts";
import { dynamoSettings } from "./settings.ts";
import { dynamoSigningKeys } from "./signing-keys.ts";
import { dynamoSingleUse } from "./single-use.ts";
import { dynamoStops } from "./stops.ts";
import type { TableNames } from "./tables.ts";
import { dynamoTokens } from "./tokens.ts";

interface DynamoOptions {
  readonly client: DynamoDBClient;
  readonly tables: TableNames;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Pick<Logger, "warn">;
  /** How long audit records are kept, milliseconds; absent: for good. */
  readonly auditRetention?: number | undefined;
}

export interface DynamoStores extends Stores {
  /**
   * Ends some of the agents' sessions that have expired, with their records, counts audit records that will go (D158), sees to
   * people who were forgotten or may not act any more, and looks for organizations of a former release (D165). True when there may be more to do (D73).
   */
  readonly sweepSessions: () => Promise<boolean>;
}

/** Every port of one region on DynamoDB. */
export function dynamoStores({ client, tables, clock, random, logger, auditRetention }: DynamoOptions): DynamoStores {
  const database = { client, tables, random, logger, stops: { record: NO_STOPS, index: new Map() } };
  const audit = createAuditWriter(database, auditRetention);
  const stores = {
    apiClients: dynamoApiClients(database, audit),
    tokens: dynamoTokens(database, audit),
    grants: dynamoGrants(database, audit),
    registeredClients: dynamoRegisteredClients(database, audit),
    signingKeys: dynamoSigningKeys(database, audit),
    singleUse: dynamoSingleUse(database, clock),
    directory: dynamoDirectory(database, audit),
    members: dynamoMembers(database, audit),
    invitations: dynamoInvitations(database, audit),
    passkeys: dynamoPasskeys(database, audit),
    identities: dynamoIdentities(database, audit),
    settings: dynamoSettings(database, audit),
    stops: dynamoStops(database, audit),
    pins: dynamoPins(database, audit),
    deployments: dynamoDeployments(database, audit),
    limits: dynamoLimits(database),
    auditLog: dynamoAuditLog(database, audit, clock, auditRetention),
    mcpSessions: dynamoMcpSessions(database, audit),
    connections: dynamoConnections(database, audit),
    approvals: dynamoApprovals(database, audit),
  };
  const lookForOrganizations = organizationSweep(database);
  return {
    ...tellingUnavailable(stores, isPassing),
    sweepSessions: async () => {
      await sweepDisconnected(database, audit, clock.now());
      await sweepForgotten(database, clock.now());
      const isCounting = auditRetention !== undefined && (await sweepAuditCounts(database, clock.now()));
      const areExpiring = await sweepApprovals(database, audit, clock.now());
      const isEnding = await sweepSessions(database, audit, clock.now());
      return (await lookForOrganizations(clock.now())) || isEnding || isCounting || areExpiring;
    },
  };
}
