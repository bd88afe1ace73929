import type {
  ApiClientChange,
  ApiClientRecord,
  ChangeResult,
  ChangeTarget,
  KeyPairRecord,
  KeyPairUse,
  VerificationRecord,
} from "../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { Page, PageRequest } from "../../lib/stores/paging.ts";
import type { KeySet, SigningKeyRecord } from "../../lib/stores/signing-keys.ts";
import {
  createApiClient,
  deleteApiClient,
  getApiClient,
  listApiClients,
  updateApiClient,
} from "../../lib/stores/sql/api-clients.ts";
import type { Consequences } from "../../lib/stores/sql/consequences.ts";
import { cleanRegistry } from "../../lib/stores/sql/housekeeping.ts";
import { addKeyPair, revokeKeyPair } from "../../lib/stores/sql/key-pair-changes.ts";
import { recordKeyPairUse } from "../../lib/stores/sql/key-pairs.ts";
import { outboxMigrations } from "../../lib/stores/sql/migrations/outbox.ts";
import { registryMigrations } from "../../lib/stores/sql/migrations/registry.ts";
import { type ListedSession, postOutbox } from "../../lib/stores/sql/outbox.ts";
import { readSigningKeys, replaceSigningKeys } from "../../lib/stores/sql/signing-keys.ts";
import { readVerificationRecord } from "../../lib/stores/sql/verification.ts";
import { announce, type ObjectState } from "./announce.ts";
import { auditIndexMigrations, auditShards, type DayRange, listAuditShard } from "./audit-index.ts";
import type { AuditShardKey } from "./audit-shard-name.ts";
import { openDatabase } from "./database.ts";
import type { StateBindings } from "./env.ts";
import { cleanExpired } from "./expiry.ts";
import { objectLog } from "./log.ts";
import { deliverOutbox } from "./outbox.ts";
import { RegistryCredentials } from "./registry-credentials.ts";
import { listedSessions, listSession, sessionIndexMigrations, unlistSession } from "./session-index.ts";
import { ring } from "./wake.ts";

/** The region's directory, API clients, settings and signing keys: one object, so that everything about them is in one order. */
export class Registry extends RegistryCredentials {
  protected readonly state: ObjectState;

  constructor(ctx: DurableObjectState, env: StateBindings) {
    super(ctx, env);
    const { storage } = ctx;
    const db = openDatabase(storage, [
      registryMigrations,
      outboxMigrations,
      auditIndexMigrations,
      sessionIndexMigrations,
    ]);
    this.state = { storage, db, env, log: objectLog("registry") };
  }

  createClient(record: ApiClientRecord, event: AuditEvent): Promise<void> {
    const { state } = this;
    return announce(state, record.clientId, (consequences) => createApiClient(state.db, consequences, record, event));
  }

  getClient(organizationId: string, clientId: string): ApiClientRecord | undefined {
    return getApiClient(this.state.db, organizationId, clientId);
  }

  listClients(organizationId: string, page: PageRequest): Page<ApiClientRecord> {
    return listApiClients(this.state.db, organizationId, page);
  }

  updateClient(
    target: ChangeTarget,
    change: ApiClientChange,
    at: number,
    event: AuditEvent,
  ): Promise<ChangeResult<ApiClientRecord>> {
    return announceChange(this.state, target, (consequences) =>
      updateApiClient(this.state.db, consequences, target, change, at, event),
    );
  }

  deleteClient(
    target: ChangeTarget,
    options: { readonly revokeTokens: boolean },
    event: AuditEvent,
  ): Promise<ChangeResult<void>> {
    return announceChange(this.state, target, (consequences) =>
      deleteApiClient(this.state.db, consequences, target, options, event),
    );
  }

  addKeyPair(target: ChangeTarget, keyPair: KeyPairRecord, event: AuditEvent): Promise<ChangeResult<ApiClientRecord>> {
    return announceChange(this.state, target, (consequences) =>
      addKeyPair(this.state.db, consequences, target, keyPair, event),
    );
  }

  revokeKeyPair(
    target: ChangeTarget,
    keyPairId: string,
    at: number,
    event: AuditEvent,
  ): Promise<ChangeResult<ApiClientRecord>> {
    return announceChange(this.state, target, (consequences) =>
      revokeKeyPair(this.state.db, consequences, target, keyPairId, at, event),
    );
  }

  /** Tells nobody: what caches show of it may be late. */
  recordKeyPairUse(use: KeyPairUse): void {
    recordKeyPairUse(this.state.db, use);
  }

  verificationRecord(clientId: string): VerificationRecord | undefined {
    return readVerificationRecord(this.state.db, clientId);
  }

  signingKeys(): KeySet {
    return readSigningKeys(this.state.db);
  }

  replaceSigningKeys(expectedRevision: number, keys: readonly SigningKeyRecord[], event: AuditEvent): Promise<boolean> {
    return announce(this.state, undefined, (consequences) =>
      replaceSigningKeys(this.state.db, consequences, expectedRevision, keys, event),
    );
  }

  /** An audit shard says that it is about to hold records. */
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
    await ring(log, storage, async () => {
      const failures = await deliverOutbox(db, env);
      await cleanExpired(storage, db, {
        clean: cleanRegistry,
        tables: ["sign_in_links", "browser_sessions", "invitations"],
      });
      return failures;
    });
  }
}

/** A change to a client also makes the cache forget it. */
function announceChange<T>(
  state: ObjectState,
  { clientId }: ChangeTarget,
  change: (consequences: Consequences) => ChangeResult<T>,
): Promise<ChangeResult<T>> {
  return announce(state, clientId, (consequences) => {
    const result = change(consequences);
    if (result.outcome === "done") postOutbox(state.db, { kind: "forget", clientId });
    return result;
  });
}
