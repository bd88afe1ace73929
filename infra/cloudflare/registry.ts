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
import type {
  BrowserSessionRecord,
  FirstOwner,
  MembershipRecord,
  OrganizationRecord,
  PersonRecord,
  SignInLinkRecord,
} from "../../lib/stores/directory.ts";
import type { Page, PageRequest } from "../../lib/stores/paging.ts";
import {
  createApiClient,
  deleteApiClient,
  getApiClient,
  listApiClients,
  updateApiClient,
} from "../../lib/stores/sql/api-clients.ts";
import {
  consumeSignInLink,
  createBrowserSession,
  createSignInLink,
  deleteBrowserSession,
  getBrowserSession,
  touchBrowserSession,
} from "../../lib/stores/sql/browser-sessions.ts";
import type { Consequences } from "../../lib/stores/sql/consequences.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import {
  createFirstOrganization,
  createFirstOwner,
  findPersonByEmail,
  firstOrganization,
  getOrganization,
  getPerson,
  membershipsOf,
} from "../../lib/stores/sql/directory.ts";
import { cleanRegistry } from "../../lib/stores/sql/housekeeping.ts";
import { addKeyPair, revokeKeyPair } from "../../lib/stores/sql/key-pair-changes.ts";
import { outboxMigrations } from "../../lib/stores/sql/migrations/outbox.ts";
import { registryMigrations } from "../../lib/stores/sql/migrations/registry.ts";
import { outboxConsequences } from "../../lib/stores/sql/outbox.ts";
import { readVerificationRecord } from "../../lib/stores/sql/verification.ts";
import { auditIndexMigrations, auditShards, type DayRange, listAuditShard } from "./audit-index.ts";
import type { AuditShardKey } from "./audit-shard-name.ts";
import { openDatabase } from "./database.ts";
import type { StateBindings } from "./env.ts";
import { CLEANING_BATCH, cleaningTime, nextExpiry } from "./expiry.ts";
import { logFailures } from "./log.ts";
import { deliverOutbox, REDELIVERY_DELAY } from "./outbox.ts";
import { wakeBy } from "./wake.ts";

/** The region's directory and API clients: one object, so that everything about them is in one order. */
export class Registry extends DurableObject<StateBindings> {
  readonly #db: SqlDatabase;

  constructor(ctx: DurableObjectState, env: StateBindings) {
    super(ctx, env);
    this.#db = openDatabase(ctx.storage, [registryMigrations, outboxMigrations, auditIndexMigrations]);
  }

  async createClient(record: ApiClientRecord, event: AuditEvent): Promise<void> {
    await this.#announce((consequences) => createApiClient(this.#db, consequences, record, event));
  }

  getClient(organizationId: string, clientId: string): ApiClientRecord | undefined {
    return getApiClient(this.#db, organizationId, clientId);
  }

  listClients(organizationId: string, page: PageRequest): Page<ApiClientRecord> {
    return listApiClients(this.#db, organizationId, page);
  }

  updateClient(
    target: ChangeTarget,
    change: ApiClientChange,
    at: number,
    event: AuditEvent,
  ): Promise<ChangeResult<ApiClientRecord>> {
    return this.#change(target, (consequences) => updateApiClient(this.#db, consequences, target, change, at, event));
  }

  deleteClient(
    target: ChangeTarget,
    options: { readonly revokeTokens: boolean },
    event: AuditEvent,
  ): Promise<ChangeResult<void>> {
    return this.#change(target, (consequences) => deleteApiClient(this.#db, consequences, target, options, event));
  }

  addKeyPair(target: ChangeTarget, keyPair: KeyPairRecord, event: AuditEvent): Promise<ChangeResult<ApiClientRecord>> {
    return this.#change(target, (consequences) => addKeyPair(this.#db, consequences, target, keyPair, event));
  }

  revokeKeyPair(
    target: ChangeTarget,
    keyPairId: string,
    at: number,
    event: AuditEvent,
  ): Promise<ChangeResult<KeyPairRecord>> {
    return this.#change(target, (consequences) => revokeKeyPair(this.#db, consequences, target, keyPairId, at, event));
  }

  verificationRecord(clientId: string): VerificationRecord | undefined {
    return readVerificationRecord(this.#db, clientId);
  }

  createFirstOrganization(organization: OrganizationRecord): boolean {
    return createFirstOrganization(this.#db, organization);
  }

  createFirstOwner(first: FirstOwner, event: AuditEvent): Promise<boolean> {
    return this.#announce((consequences) => createFirstOwner(this.#db, consequences, first, event));
  }

  firstOrganization(): OrganizationRecord | undefined {
    return firstOrganization(this.#db);
  }

  getOrganization(organizationId: string): OrganizationRecord | undefined {
    return getOrganization(this.#db, organizationId);
  }

  getPerson(userId: string): PersonRecord | undefined {
    return getPerson(this.#db, userId);
  }

  findPersonByEmail(email: string): PersonRecord | undefined {
    return findPersonByEmail(this.#db, email);
  }

  memberships(userId: string): readonly MembershipRecord[] {
    return membershipsOf(this.#db, userId);
  }

  async createSignInLink(link: SignInLinkRecord): Promise<void> {
    await wakeBy(this.ctx.storage, cleaningTime(link.expiresAt, Date.now()));
    createSignInLink(this.#db, link);
  }

  consumeSignInLink(secretHash: string, now: number): SignInLinkRecord | undefined {
    return consumeSignInLink(this.#db, secretHash, now);
  }

  async createBrowserSession(session: BrowserSessionRecord): Promise<void> {
    await wakeBy(this.ctx.storage, cleaningTime(session.expiresAt, Date.now()));
    createBrowserSession(this.#db, session);
  }

  getBrowserSession(sessionHash: string): BrowserSessionRecord | undefined {
    return getBrowserSession(this.#db, sessionHash);
  }

  touchBrowserSession(sessionHash: string, lastSeenAt: number): void {
    touchBrowserSession(this.#db, sessionHash, lastSeenAt);
  }

  deleteBrowserSession(sessionHash: string): void {
    deleteBrowserSession(this.#db, sessionHash);
  }

  /** An audit shard says that it is about to hold records. */
  listAuditShard(key: AuditShardKey): void {
    listAuditShard(this.#db, key);
  }

  auditShards(organizationId: string, range: DayRange): readonly AuditShardKey[] {
    return auditShards(this.#db, organizationId, range);
  }

  override async alarm(): Promise<void> {
    const now = Date.now();
    const failures = await deliverOutbox(this.#db, this.env);
    logFailures("registry", failures);
    const more = cleanRegistry(this.#db, now, CLEANING_BATCH);
    const next = more ? now : nextExpiry(this.#db, ["sign_in_links", "browser_sessions"]);
    if (next !== undefined) await wakeBy(this.ctx.storage, cleaningTime(next, now));
    if (failures.length > 0) await wakeBy(this.ctx.storage, now + REDELIVERY_DELAY);
  }

  /**
   * A change to a client. It is acknowledged when every lane of the client knows; asking again after a failure delivers
   * what is left, although nothing changes any more.
   */
  async #change<T>(
    target: ChangeTarget,
    change: (consequences: Consequences) => ChangeResult<T>,
  ): Promise<ChangeResult<T>> {
    return this.#announce((consequences) => {
      const result = change(consequences);
      // No tombstones of its own: the delivery makes the cache forget the client in any case.
      if (result.outcome === "done") consequences.tombstones(target.clientId, []);
      return result;
    });
  }

  async #announce<T>(work: (consequences: Consequences) => T): Promise<T> {
    // Set first: a crash right after the commit must find it.
    await wakeBy(this.ctx.storage, Date.now() + REDELIVERY_DELAY);
    const result = this.#db.transaction(() => work(outboxConsequences(this.#db)));
    const failures = await deliverOutbox(this.#db, this.env);
    logFailures("registry", failures);
    const unspread = failures.find((failure) => failure.kind === "tombstones");
    if (unspread !== undefined) {
      throw new Error("The change is stored, but not every token shard knows it yet.", { cause: unspread.cause });
    }
    return result;
  }
}
