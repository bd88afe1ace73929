import { API_CLIENTS, type VerificationRecord } from "../../lib/stores/api-clients.ts";
import { APPROVALS } from "../../lib/stores/approvals.ts";
import { AUDIT_LOG, type AuditCompletion, type AuditDayCount, type AuditEvent } from "../../lib/stores/audit-log.ts";
import { CONNECTIONS, type DisconnectedPeople } from "../../lib/stores/connections.ts";
import { DEPLOYMENTS } from "../../lib/stores/deployments.ts";
import { GRANTS } from "../../lib/stores/grants.ts";
import { LIMITS } from "../../lib/stores/limits.ts";
import type { UpstreamChange } from "../../lib/stores/mcp-session-upstreams.ts";
import { MCP_SESSIONS, type McpSessionRecord, type SessionReference } from "../../lib/stores/mcp-sessions.ts";
import { type Arguments, type Operations, once, type Result, read, write } from "../../lib/stores/operations.ts";
import type { Page, PageRequest } from "../../lib/stores/paging.ts";
import { PINS } from "../../lib/stores/pins.ts";
import { REGISTERED_CLIENTS } from "../../lib/stores/registered-clients.ts";
import { SETTINGS } from "../../lib/stores/settings.ts";
import { SIGNING_KEYS } from "../../lib/stores/signing-keys.ts";
import type { ListedSession } from "../../lib/stores/sql/outbox.ts";
import type { StoppableRecord } from "../../lib/stores/stop-subjects.ts";
import { STOPS, type StopsRecord } from "../../lib/stores/stops.ts";
import { PEOPLE_STORES } from "../../lib/stores/stores.ts";
import { TOKENS } from "../../lib/stores/tokens.ts";
import type { Tombstone } from "../../lib/stores/tombstone.ts";
import type { AuditShardKey } from "./audit-shard-name.ts";
import type { DayRange } from "./registry-index.ts";

// What Durable Objects can be asked for, by the names of their methods. Two releases run side by side while one is deployed:
// a method that was released keeps its name and its arguments.

/** The methods of an object's class. */
export type Methods<Table extends Operations> = {
  readonly [Name in keyof Table]: (
    ...args: Arguments<Table[Name]>
  ) => Result<Table[Name]> | Promise<Result<Table[Name]>>;
};

export const REGISTRY = {
  ...inOne(PEOPLE_STORES),
  settings: SETTINGS.readSettings,
  replaceSettings: SETTINGS.replaceSettings,
  readStops: STOPS.readStops,
  replaceStops: STOPS.replaceStops,
  readPins: PINS.readPins,
  replacePins: PINS.replacePins,
  keepToolDefinitions: PINS.keepDefinitions,
  toolDefinitions: PINS.definitions,
  dropToolDefinitions: PINS.dropDefinitions,
  readDeployment: DEPLOYMENTS.readDeployment,
  replaceDeployment: DEPLOYMENTS.replaceDeployment,
  keepBundlePiece: DEPLOYMENTS.keepPiece,
  bundlePiece: DEPLOYMENTS.piece,
  dropBundlePieces: DEPLOYMENTS.dropPieces,
  tellInstance: DEPLOYMENTS.tellInstance,
  instances: DEPLOYMENTS.instances,
  signingKeys: SIGNING_KEYS.read,
  replaceSigningKeys: SIGNING_KEYS.replace,
  createClient: API_CLIENTS.create,
  getClient: API_CLIENTS.get,
  listClients: API_CLIENTS.list,
  updateClient: API_CLIENTS.update,
  deleteClient: API_CLIENTS.delete,
  addKeyPair: API_CLIENTS.addKeyPair,
  revokeKeyPair: API_CLIENTS.revokeKeyPair,
  recordKeyPairUse: API_CLIENTS.recordUse,
  verificationRecord: read<(clientId: string) => VerificationRecord | undefined>(),
  /** An audit shard says that it is about to hold records. */
  listAuditShard: write<(key: AuditShardKey) => void>(),
  auditShards: read<(organizationId: string, range: DayRange) => readonly AuditShardKey[]>(),
  /** How long audit records are kept from now on, milliseconds (D158). */
  retainAudit: write<(retention: number | null) => void>(),
  keptAuditCounts: AUDIT_LOG.kept,
  listSession: write<(session: ListedSession) => void>(),
  unlistSessions: write<(sessions: readonly ListedSession[]) => void>(),
  listedSessions: read<(organizationId: string, page: PageRequest) => Page<ListedSession>>(),
};

export const TOKEN_SHARD = {
  ...GRANTS,
  ...APPROVALS,
  issue: TOKENS.issue,
  acceptAssertion: TOKENS.acceptAssertion,
  introspect: TOKENS.introspect,
  revoke: TOKENS.revoke,
  exchange: TOKENS.exchange,
  end: TOKENS.end,
  /** Whether any of the ids is dead there, or what it is about is stopped. */
  hasTombstone: read<(ids: readonly string[], of?: StoppableRecord) => boolean>(),
  /** A newer document takes the place of an older one. */
  copyStops: write<(record: StopsRecord) => void>(),
  addTombstones: write<(tombstones: readonly Tombstone[]) => void>(),
  lease: LIMITS.lease,
  consume: once<(namespace: string, key: string, expiresAt: number, now: number) => boolean>(),
  isUsed: read<(namespace: string, key: string, now: number) => boolean>(),
  createRegisteredClient: REGISTERED_CLIENTS.create,
  registeredClient: REGISTERED_CLIENTS.get,
  connection: CONNECTIONS.connection,
  // Not `connect`: every stub has a method of this name that opens a socket.
  storeConnection: CONNECTIONS.connect,
  beginRefresh: CONNECTIONS.beginRefresh,
  settleRefresh: CONNECTIONS.settleRefresh,
  noteConnectionUse: CONNECTIONS.noteUse,
  disconnect: CONNECTIONS.disconnect,
  disconnectPeople: write<(people: DisconnectedPeople) => void>(),
  purgeConnection: CONNECTIONS.purge,
  holdConnection: CONNECTIONS.hold,
  takeHeldConnection: CONNECTIONS.takeHeld,
  deletedConnections: CONNECTIONS.deleted,
  postponeConnection: CONNECTIONS.postpone,
  connectionsOf: CONNECTIONS.connectionsOf,
  connectionsIn: CONNECTIONS.connectionsIn,
  sealedOtherwise: CONNECTIONS.sealedOtherwise,
  rewrapConnection: CONNECTIONS.rewrap,
  countConnectionsByKey: CONNECTIONS.countByKey,
};

/** An event that the database refused. */
export interface RefusedEvent {
  /** In what was to be appended. */
  readonly position: number;
  readonly cause: string;
}

export type AuditShardCount = Pick<AuditDayCount, "type" | "outcome" | "count">;

export const AUDIT_SHARD = {
  begin: AUDIT_LOG.begin,
  complete: write<(id: string, completion: AuditCompletion) => void>(),
  /** Writes all or none, durable when it resolves; throws what the database refused. */
  append: write<(events: readonly AuditEvent[]) => void>(),
  /** Writes all it can, durable when it resolves, and answers what the database refused. */
  appendAccepted: write<(events: readonly AuditEvent[]) => readonly RefusedEvent[]>(),
  query: AUDIT_LOG.query,
  tally: AUDIT_LOG.tally,
  /** How many records there are of each type and outcome. */
  counts: read<() => readonly AuditShardCount[]>(),
  /** Deletes everything. */
  erase: write<() => void>(),
};

export const MCP_SESSION = {
  create: MCP_SESSIONS.create,
  use: MCP_SESSIONS.use,
  setLogLevel: MCP_SESSIONS.setLogLevel,
  introduce: MCP_SESSIONS.introduce,
  setUpstream:
    write<(reference: SessionReference, change: UpstreamChange, now: number) => McpSessionRecord | undefined>(),
  get: MCP_SESSIONS.get,
  end: MCP_SESSIONS.end,
  /** Answers to how many followers it was handed. It may have been handed on when it fails, and must not come twice. */
  signal: once<(signal: string) => number>(),
};

export const UPSTREAM_CALL = {
  /** A call of the principal begins to wait; false: too many do. */
  enter: once<(call: string) => boolean>(),
  leave: once<(call: string) => void>(),
};

/** The members of all the values in one object. */
export function inOne<Values extends Readonly<Record<string, object>>>(values: Values): AllOf<Values[keyof Values]> {
  return Object.assign({}, ...Object.values(values));
}

type AllOf<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
