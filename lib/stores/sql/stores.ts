import type { Clock } from "../../clock.ts";
import type { Stores } from "../stores.ts";
import { sqlApiClients } from "./api-clients-port.ts";
import { appendAuditEvent, beginAuditEvent, completeAuditEvent } from "./audit-log.ts";
import { queryAuditEvents, tallyAuditEvents } from "./audit-query.ts";
import { localConsequences } from "./consequences.ts";
import { sqlDirectory } from "./directory-port.ts";
import type { SqlExecutor } from "./executor.ts";
import { sqlGrants } from "./grants-port.ts";
import { sqlIdentities } from "./identities-port.ts";
import { sqlInvitations } from "./invitations-port.ts";
import { sqlMcpSessions } from "./mcp-sessions-port.ts";
import { sqlMembers } from "./members-port.ts";
import { auditMigrations } from "./migrations/audit.ts";
import { mcpSessionMigrations } from "./migrations/mcp-sessions.ts";
import { registryMigrations } from "./migrations/registry.ts";
import { tokenShardMigrations } from "./migrations/token-shard.ts";
import { sqlPasskeys } from "./passkeys-port.ts";
import { createRegisteredClient, getRegisteredClient } from "./registered-clients.ts";
import { readSettings, replaceSettings } from "./settings.ts";
import { readSigningKeys, replaceSigningKeys } from "./signing-keys.ts";
import { consumeSingleUse } from "./single-use.ts";
import { sqlTokens } from "./tokens-port.ts";

/** What a database for `sqlStores` must be migrated to. */
export const allMigrations = [registryMigrations, tokenShardMigrations, auditMigrations, mcpSessionMigrations];

/** Every port over one database that holds every set of tables. */
export function sqlStores(executor: SqlExecutor, clock: Clock): Stores {
  return {
    apiClients: sqlApiClients(executor),
    directory: sqlDirectory(executor),
    members: sqlMembers(executor),
    invitations: sqlInvitations(executor),
    mcpSessions: sqlMcpSessions(executor),
    tokens: sqlTokens(executor),
    grants: sqlGrants(executor),
    registeredClients: {
      create: (record, event) =>
        executor.write((db) => createRegisteredClient(db, localConsequences(db), record, event)),
      get: (clientId) => executor.readLatest((db) => getRegisteredClient(db, clientId)),
    },
    signingKeys: {
      read: () => executor.readLatest(readSigningKeys),
      replace: (expectedRevision, keys, event) =>
        executor.write((db) => replaceSigningKeys(db, localConsequences(db), expectedRevision, keys, event)),
    },
    singleUse: {
      consume: (namespace, key, expiresAt) =>
        executor.write((db) => consumeSingleUse(db, namespace, key, expiresAt, clock.now())),
    },
    passkeys: sqlPasskeys(executor),
    identities: sqlIdentities(executor),
    settings: {
      readSettings: () => executor.readLatest(readSettings),
      replaceSettings: (record, event) =>
        executor.write((db) => replaceSettings(db, localConsequences(db), record, event)),
    },
    auditLog: {
      begin: (event) => executor.write((db) => beginAuditEvent(db, event)),
      complete: ({ id }, completion) => executor.write((db) => completeAuditEvent(db, id, completion)),
      append: (event) => executor.write((db) => appendAuditEvent(db, event)),
      query: (filter, page) => executor.read((db) => queryAuditEvents(db, filter, page)),
      tally: (request) => executor.read((db) => tallyAuditEvents(db, request)),
    },
  };
}
