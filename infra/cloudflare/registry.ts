import { DurableObject } from "cloudflare:workers";
import type {
  ApiClientChange,
  ApiClientRecord,
  ChangeResult,
  ChangeTarget,
  KeyPairRecord,
  VerificationRecord,
} from "../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
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
import { createBrowserSession } from "../../lib/stores/sql/directory.ts";
import { cleanRegistry, EXPIRING_IN_REGISTRY } from "../../lib/stores/sql/housekeeping.ts";
import { outboxMigrations } from "../../lib/stores/sql/migrations/outbox.ts";
import { registryMigrations } from "../../lib/stores/sql/migrations/registry.ts";
import type { Effects } from "../../lib/stores/sql/operations.ts";
import {
  type ListedSession,
  lastPosted,
  outboxEffects,
  pendingOutbox,
  pendingTombstones,
  postOutbox,
} from "../../lib/stores/sql/outbox.ts";
import { sqlSettings } from "../../lib/stores/sql/settings.ts";
import { sqlSigningKeys } from "../../lib/stores/sql/signing-keys.ts";
import { sqlPeople } from "../../lib/stores/sql/stores.ts";
import { changeWithAlarm, cleanExpired, cleaningTime, runAlarm, setAlarmBy } from "./alarm.ts";
import type { AuditShardKey } from "./audit-shard-name.ts";
import { openDatabase } from "./database.ts";
import type { StateBindings } from "./env.ts";
import { type ObjectLog, objectLog } from "./log.ts";
import { inOne, type REGISTRY } from "./object-operations.ts";
import { deliverEvents, deliverForgets, deliverOutbox, deliverTombstones } from "./outbox.ts";
import {
  auditIndexMigrations,
  auditShards,
  type DayRange,
  listAuditShard,
  listedSessions,
  listSession,
  sessionIndexMigrations,
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
    const sets = [registryMigrations, outboxMigrations, auditIndexMigrations, sessionIndexMigrations];
    this.state = registryState(storage, env, openDatabase(storage, sets), objectLog("registry"));
  }

  async createBrowserSession(session: BrowserSessionRecord): Promise<void> {
    await setAlarmBy(this.state.storage, cleaningTime(session.expiresAt, Date.now()));
    createBrowserSession(this.state.db, session);
  }

  createClient(record: ApiClientRecord, event: AuditEvent): Promise<void> {
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

  verificationRecord(clientId: string): VerificationRecord | undefined {
    return readVerificationRecord(this.state.db, clientId);
  }

  listAuditShard(key: AuditShardKey): void {
    listAuditShard(this.state.db, key);
  }

  auditShards(organizationId: string, range: DayRange): readonly AuditShardKey[] {
    return auditShards(this.state.db, organizationId, range);
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
      return failures;
    });
  }
}

addSqlMethods<typeof REGISTRY, typeof Registry>(Registry, ({ state }) => state, {
  ...inOne(sqlPeople),
  settings: sqlSettings.readSettings,
  replaceSettings: sqlSettings.replaceSettings,
  signingKeys: sqlSigningKeys.read,
  replaceSigningKeys: sqlSigningKeys.replace,
  getClient: sqlApiClients.get,
  listClients: sqlApiClients.list,
  // Tells nobody: what caches show of it may be late.
  recordKeyPairUse: sqlApiClients.recordUse,
});

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
  const [unspread, unforgotten, events] = await Promise.all([
    deliverTombstones(db, env, tombstones),
    deliverForgets(db, env, pendingOutbox(db, "forget", { after: before, limit: FORGETS })),
    deliverEvents(db, env, before),
  ]);
  log.failures([...unspread, ...unforgotten, ...events.failures]);
  const [failure] = unspread;
  if (failure === undefined) return result;
  throw new Error("The change is stored, but not every token shard knows it yet.", { cause: failure.cause });
}
