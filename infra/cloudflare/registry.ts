import { DurableObject } from "cloudflare:workers";
import { auditDay } from "../../lib/audit/sharding.ts";
import type {
  ApiClientChange,
  ApiClientRecord,
  ChangeResult,
  ChangeTarget,
  KeyPairRecord,
  VerificationRecord,
} from "../../lib/stores/api-clients.ts";
import type { AuditCountRequest, AuditDayCount, AuditEvent } from "../../lib/stores/audit-log.ts";
import type { BrowserSessionRecord } from "../../lib/stores/directory.ts";
import type { Page, PageRequest } from "../../lib/stores/paging.ts";
import {
  addKeyPair,
  createApiClient,
  deleteApiClient,
  readVerificationRecord,
  revokeKeyPair,
  sqlApiClients,
  updateApiClient,
} from "../../lib/stores/sql/api-clients.ts";
import { sqlDeployments } from "../../lib/stores/sql/deployments.ts";
import { createBrowserSession } from "../../lib/stores/sql/directory.ts";
import { cleanRegistry, EXPIRING_IN_REGISTRY } from "../../lib/stores/sql/housekeeping.ts";
import { deploymentMigrations } from "../../lib/stores/sql/migrations/deployments.ts";
import { outboxMigrations } from "../../lib/stores/sql/migrations/outbox.ts";
import { pinMigrations } from "../../lib/stores/sql/migrations/pins.ts";
import { registryMigrations } from "../../lib/stores/sql/migrations/registry.ts";
import { stopMigrations } from "../../lib/stores/sql/migrations/stops.ts";
import type { Effects } from "../../lib/stores/sql/operations.ts";
import {
  type ListedSession,
  lastPosted,
  outboxEffects,
  pendingOutbox,
  pendingTombstones,
  postOutbox,
} from "../../lib/stores/sql/outbox.ts";
import { sqlPins } from "../../lib/stores/sql/pins.ts";
import { sqlSettings } from "../../lib/stores/sql/settings.ts";
import { sqlSigningKeys } from "../../lib/stores/sql/signing-keys.ts";
import { replaceStops, sqlStops } from "../../lib/stores/sql/stops.ts";
import { sqlPeople } from "../../lib/stores/sql/stores.ts";
import type { StopsRecord, StopsResult } from "../../lib/stores/stops.ts";
import { changeWithAlarm, cleanExpired, cleaningTime, runAlarm, setAlarmBy } from "./alarm.ts";
import { type AuditShardKey, auditShardName } from "./audit-shard-name.ts";
import { openDatabase } from "./database.ts";
import type { StateBindings } from "./env.ts";
import { type ObjectLog, objectLog } from "./log.ts";
import { inOne, type REGISTRY } from "./object-operations.ts";
import { auditShardOf } from "./objects.ts";
import {
  deliverDisconnects,
  deliverEvents,
  deliverForgets,
  deliverOutbox,
  deliverStops,
  deliverTombstones,
} from "./outbox.ts";
import {
  auditIndexMigrations,
  auditShards,
  auditShardsBefore,
  type DayRange,
  keepAuditCounts,
  keptAuditCounts,
  listAuditShard,
  listedSessions,
  listSession,
  sessionIndexMigrations,
  unlistAuditShard,
  unlistSession,
} from "./registry-index.ts";
import { addSqlMethods, type SqlState } from "./sql-methods.ts";

/**
 * The region's directory, API clients, settings and signing keys: one object, so that everything about them is in one order.
 * `addSqlMethods` below gives it the methods that are nothing but SQL.
 */
export class Registry extends DurableObject<StateBindings> {
  /** Own properties are no part of what other objects can call. */
  readonly state: RegistryState;

  constructor(ctx: DurableObjectState, env: StateBindings) {
    super(ctx, env);
    const { storage } = ctx;
    const sets = [
      ...[registryMigrations, stopMigrations, pinMigrations, deploymentMigrations, outboxMigrations],
      ...[auditIndexMigrations, sessionIndexMigrations],
    ];
    this.state = registryState(storage, env, openDatabase(storage, sets), objectLog("registry"));
  }

  async createBrowserSession(session: BrowserSessionRecord): Promise<void> {
    await setAlarmBy(this.state.storage, cleaningTime(session.expiresAt, Date.now()));
    createBrowserSession(this.state.db, session);
  }

  createClient(record: ApiClientRecord, event: AuditEvent): Promise<boolean> {
    const { state } = this;
    return announce(state, record.clientId, (effects) => createApiClient(state.db, effects, record, event));
  }

  updateClient(
    target: ChangeTarget,
    change: ApiClientChange,
    at: number,
    event: AuditEvent,
  ): Promise<ChangeResult<ApiClientRecord>> {
    return announceChange(this.state, target, (effects) =>
      updateApiClient(this.state.db, effects, target, change, at, event),
    );
  }

  deleteClient(
    target: ChangeTarget,
    options: { readonly revokeTokens: boolean },
    event: AuditEvent,
  ): Promise<ChangeResult<void>> {
    return announceChange(this.state, target, (effects) =>
      deleteApiClient(this.state.db, effects, target, options, event),
    );
  }

  addKeyPair(target: ChangeTarget, keyPair: KeyPairRecord, event: AuditEvent): Promise<ChangeResult<ApiClientRecord>> {
    return announceChange(this.state, target, (effects) => addKeyPair(this.state.db, effects, target, keyPair, event));
  }

  revokeKeyPair(
    target: ChangeTarget,
    keyPairId: string,
    at: number,
    event: AuditEvent,
  ): Promise<ChangeResult<ApiClientRecord>> {
    return announceChange(this.state, target, (effects) =>
      revokeKeyPair(this.state.db, effects, target, keyPairId, at, event),
    );
  }

  /** `done` when every token shard knows it, also what earlier changes left to tell. */
  async replaceStops(record: StopsRecord, event: AuditEvent): Promise<StopsResult> {
    const { state } = this;
    const result = await announce(state, undefined, (effects) => replaceStops(state.db, effects, record, event));
    if (result === "stale") return result;
    const failures = await deliverStops(state.db, state.env);
    state.log.failures(failures);
    return failures.length === 0 ? "done" : "spreading";
  }

  verificationRecord(clientId: string): VerificationRecord | undefined {
    return readVerificationRecord(this.state.db, clientId);
  }

  listAuditShard(key: AuditShardKey): void {
    listAuditShard(this.state.db, key);
  }

  auditShards(organizationId: string, range: DayRange): readonly AuditShardKey[] {
    return auditShards(this.state.db, organizationId, range);
  }

  /** The alarm deletes what is too old by then, and once a day what has become so. Null: nothing becomes too old. */
  async retainAudit(retention: number | null): Promise<void> {
    const { storage } = this.state;
    if (retention === null) {
      storage.kv.delete(AUDIT_RETENTION);
      return;
    }
    if (storage.kv.get(AUDIT_RETENTION) === retention) return;
    await setAlarmBy(storage, Date.now());
    storage.kv.put(AUDIT_RETENTION, retention);
  }

  keptAuditCounts(request: AuditCountRequest): readonly AuditDayCount[] {
    return keptAuditCounts(this.state.db, request);
  }

  listSession(session: ListedSession): void {
    listSession(this.state.db, session);
  }

  unlistSessions(sessions: readonly ListedSession[]): void {
    this.state.db.transaction(() => {
      for (const session of sessions) unlistSession(this.state.db, session);
    });
  }

  listedSessions(organizationId: string, page: PageRequest): Page<ListedSession> {
    return listedSessions(this.state.db, organizationId, page);
  }

  override async alarm(): Promise<void> {
    const { storage, db, env, log } = this.state;
    await runAlarm(log, storage, async () => {
      const failures = await deliverOutbox(db, env);
      await cleanExpired(storage, db, { clean: cleanRegistry, tables: EXPIRING_IN_REGISTRY });
      await expireAuditShards(this.state);
      return failures;
    });
  }
}

addSqlMethods<typeof REGISTRY, typeof Registry>(Registry, ({ state }) => state, {
  ...inOne(sqlPeople),
  settings: sqlSettings.readSettings,
  replaceSettings: sqlSettings.replaceSettings,
  readStops: sqlStops.readStops,
  readPins: sqlPins.readPins,
  replacePins: sqlPins.replacePins,
  keepToolDefinitions: sqlPins.keepDefinitions,
  toolDefinitions: sqlPins.definitions,
  dropToolDefinitions: sqlPins.dropDefinitions,
  readDeployment: sqlDeployments.readDeployment,
  replaceDeployment: sqlDeployments.replaceDeployment,
  keepBundlePiece: sqlDeployments.keepPiece,
  bundlePiece: sqlDeployments.piece,
  dropBundlePieces: sqlDeployments.dropPieces,
  tellInstance: sqlDeployments.tellInstance,
  instances: sqlDeployments.instances,
  signingKeys: sqlSigningKeys.read,
  replaceSigningKeys: sqlSigningKeys.replace,
  getClient: sqlApiClients.get,
  listClients: sqlApiClients.list,
  // Tells nobody: what caches show of it may be late.
  recordKeyPairUse: sqlApiClients.recordUse,
});

/** In the object's key-value storage. */
const AUDIT_RETENTION = "auditRetention";
/** Shards that one alarm deletes, and milliseconds until the next alarm where there are more, or none. */
const SHARDS_AN_ALARM = 20;
const CONTINUATION = 1_000;
const DAY = 86_400_000;

/**
 * Deletes some of the audit shards whose day is over for longer than records are kept, and keeps their numbers. What fails in
 * between is done again: a shard is forgotten last.
 */
async function expireAuditShards({ storage, db, env }: RegistryState): Promise<void> {
  const retention = storage.kv.get(AUDIT_RETENTION);
  if (typeof retention !== "number") return;
  const now = Date.now();
  const shards = auditShardsBefore(db, auditDay(now - retention), SHARDS_AN_ALARM);
  for (const key of shards) {
    const shard = auditShardOf(env, auditShardName(key));
    const counts = await shard.counts();
    db.transaction(() => keepAuditCounts(db, key, counts));
    await shard.erase();
    unlistAuditShard(db, key);
  }
  await setAlarmBy(storage, now + (shards.length === SHARDS_AN_ALARM ? CONTINUATION : DAY));
}

/** What the registry works with. */
interface RegistryState extends SqlState {
  readonly storage: DurableObjectStorage;
  readonly env: StateBindings;
  readonly log: ObjectLog;
}

function registryState(
  storage: DurableObjectStorage,
  env: StateBindings,
  db: SqlState["db"],
  log: ObjectLog,
): RegistryState {
  const state: RegistryState = { storage, db, env, log, change: (work) => announce(state, undefined, work) };
  return state;
}

/** A change to a client also makes the cache forget it. */
function announceChange<T>(
  state: RegistryState,
  { clientId }: ChangeTarget,
  change: (effects: Effects) => ChangeResult<T>,
): Promise<ChangeResult<T>> {
  return announce(state, clientId, (effects) => {
    const result = change(effects);
    if (result.outcome === "done") postOutbox(state.db, { kind: "forget", clientId });
    return result;
  });
}

/** More forgotten cache entries than one change leaves. */
const FORGETS = 10;
/** One for each organization that a person is in, as far as the answer waits for them. */
const DISCONNECTS = 50;

/**
 * Makes a change to the registry and tells others what it left to tell. What other changes left is the alarm's, so that
 * none is held up by another's recipients; what fails here is the alarm's too. A change to a client is acknowledged when
 * every lane of the client knows its tombstones, also those of earlier changes: asking again after a failure delivers
 * what is left, although nothing changes any more.
 */
async function announce<T>(
  { storage, db, env, log }: RegistryState,
  clientId: string | undefined,
  work: (effects: Effects) => T,
): Promise<T> {
  const change = () =>
    db.transaction(() => {
      const newest = lastPosted(db);
      return { before: newest, result: work(outboxEffects(db)) };
    });
  const { before, result } = await changeWithAlarm(storage, change, (changed) => lastPosted(db) > changed.before);
  const tombstones = clientId === undefined ? [] : pendingTombstones(db, clientId);
  const [unspread, unforgotten, connected, events] = await Promise.all([
    deliverTombstones(db, env, tombstones),
    deliverForgets(db, env, pendingOutbox(db, "forget", { after: before, limit: FORGETS })),
    deliverDisconnects(db, env, pendingOutbox(db, "disconnect", { after: before, limit: DISCONNECTS })),
    deliverEvents(db, env, before),
  ]);
  log.failures([...unspread, ...unforgotten, ...connected, ...events.failures]);
  const [failure] = unspread;
  if (failure === undefined) return result;
  throw new Error("The change is stored, but not every token shard knows it yet.", { cause: failure.cause });
}
