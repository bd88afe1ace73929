import type { Clock } from "../../kernel/clock.ts";
import { eachStore, type PEOPLE_STORES, type STORES, type StoreName, type Stores } from "../stores.ts";
import { sqlApiClients } from "./api-clients.ts";
import { sqlApprovals } from "./approvals.ts";
import { sqlAuditLog } from "./audit-log.ts";
import { sqlConnections } from "./connections.ts";
import type { SqlDatabase, SqlExecutor } from "./database.ts";
import { sqlDeployments } from "./deployments.ts";
import { sqlDirectory } from "./directory.ts";
import { localEffects } from "./effects.ts";
import { sqlGrants } from "./grants.ts";
import { sqlIdentities } from "./identities.ts";
import { sqlInvitations } from "./invitations.ts";
import { sqlLimits } from "./limits.ts";
import { readingFirst, sqlMcpSessions } from "./mcp-sessions.ts";
import { sqlMembers } from "./members.ts";
import { approvalMigrations } from "./migrations/approvals.ts";
import { auditMigrations } from "./migrations/audit.ts";
import { connectionMigrations } from "./migrations/connections.ts";
import { deploymentMigrations } from "./migrations/deployments.ts";
import { limitMigrations } from "./migrations/limits.ts";
import { mcpSessionMigrations } from "./migrations/mcp-sessions.ts";
import { pinMigrations } from "./migrations/pins.ts";
import { registryMigrations } from "./migrations/registry.ts";
import { stopMigrations } from "./migrations/stops.ts";
import { tokenShardMigrations } from "./migrations/token-shard.ts";
import type { SqlOperation, SqlOperations } from "./operations.ts";
import { sqlPasskeys } from "./passkeys.ts";
import { sqlPins } from "./pins.ts";
import { sqlRegisteredClients } from "./registered-clients.ts";
import { sqlSettings } from "./settings.ts";
import { sqlSigningKeys } from "./signing-keys.ts";
import { sqlSingleUse } from "./single-use.ts";
import { sqlStops } from "./stops.ts";
import { sqlTokens } from "./tokens.ts";

/** What a database for `sqlStores` must be migrated to. */
export const allMigrations = [
  registryMigrations,
  tokenShardMigrations,
  stopMigrations,
  pinMigrations,
  limitMigrations,
  auditMigrations,
  mcpSessionMigrations,
  connectionMigrations,
  approvalMigrations,
  deploymentMigrations,
];

type SqlStores<Name extends StoreName> = { readonly [Each in Name]: SqlOperations<(typeof STORES)[Each]> };

/** Their tables are those of `registryMigrations`. */
export const sqlPeople: SqlStores<keyof typeof PEOPLE_STORES> = {
  directory: sqlDirectory,
  members: sqlMembers,
  invitations: sqlInvitations,
  passkeys: sqlPasskeys,
  identities: sqlIdentities,
};

/** Every port over one database that holds every set of tables. */
export function sqlStores(executor: SqlExecutor, clock: Clock): Stores {
  const operations: SqlStores<StoreName> = {
    ...sqlPeople,
    apiClients: sqlApiClients,
    tokens: sqlTokens,
    grants: sqlGrants,
    registeredClients: sqlRegisteredClients,
    signingKeys: sqlSigningKeys,
    singleUse: sqlSingleUse(clock),
    settings: sqlSettings,
    stops: sqlStops,
    pins: sqlPins,
    limits: sqlLimits,
    auditLog: sqlAuditLog,
    mcpSessions: sqlMcpSessions,
    connections: sqlConnections,
    approvals: sqlApprovals,
    deployments: sqlDeployments,
  };
  const stores = eachStore((name) => overExecutor(executor, operations[name]));
  const { mcpSessions } = stores;
  return { ...stores, mcpSessions: { ...mcpSessions, use: readingFirst(mcpSessions.get, mcpSessions.use) } };
}

function overExecutor(executor: SqlExecutor, operations: Readonly<Record<string, SqlOperation>>): object {
  return Object.fromEntries(Object.entries(operations).map(([name, operation]) => [name, run(executor, operation)]));
}

function run(executor: SqlExecutor, operation: SqlOperation): (...args: never[]) => Promise<unknown> {
  switch (operation.how) {
    case "snapshot":
      return (...args) => executor.read((db) => operation.work(db, ...args));
    case "latest":
      return (...args) => executor.readLatest((db) => operation.work(db, ...args));
    case "write":
      return (...args) => executor.write((db) => operation.work(db, ...args));
    case "change":
      return (...args) => executor.write((db: SqlDatabase) => operation.work(db, localEffects(db), ...args));
  }
}
