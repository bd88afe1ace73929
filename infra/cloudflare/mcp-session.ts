import { DurableObject } from "cloudflare:workers";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { UpstreamChange } from "../../lib/stores/mcp-session-upstreams.ts";
import type {
  McpLogLevel,
  McpSessionRecord,
  SessionIntroduction,
  SessionReference,
} from "../../lib/stores/mcp-sessions.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import {
  createMcpSession,
  endMcpSession,
  expireMcpSessions,
  getMcpSession,
  introduceMcpSession,
  setMcpSessionLogLevel,
  setMcpSessionUpstream,
  useMcpSession,
} from "../../lib/stores/sql/mcp-sessions.ts";
import { lastPosted, outboxConsequences, postOutbox } from "../../lib/stores/sql/outbox.ts";
import type { StateBindings } from "./env.ts";
import { deliverEvents } from "./event-delivery.ts";
import { type DeliveryFailure, objectLog } from "./log.ts";
import { acceptFollower, dismissFollowers, tellFollowers } from "./session-followers.ts";
import { deliverListings } from "./session-listing.ts";
import { expiryAlarm, openSession, openStoredSession, storedSession } from "./session-storage.ts";
import { REDELIVERY_DELAY, ring } from "./wake.ts";

/**
 * One session of an agent, named by its hash, and the requests that follow it. It stores nothing before it is created, so
 * that asking for sessions that do not exist costs nothing, and nothing once it is over and others were told.
 */
export class McpSession extends DurableObject<StateBindings> {
  readonly #log = objectLog("session");
  #open: SqlDatabase | undefined;
  #delivery: Promise<readonly DeliveryFailure[]> | undefined;

  async create(session: McpSessionRecord, event: AuditEvent): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      const db = openSession(this.ctx.storage);
      createMcpSession(db, outboxConsequences(db), session, event);
      postListing(db, session, false);
    });
    await this.#tellOthers();
  }

  use(reference: SessionReference, now: number): McpSessionRecord | undefined {
    const db = this.#stored();
    return db && useMcpSession(db, reference, now);
  }

  setLogLevel(reference: SessionReference, level: McpLogLevel, now: number): boolean {
    const db = this.#stored();
    return db !== undefined && setMcpSessionLogLevel(db, reference, level, now);
  }

  introduce(reference: SessionReference, introduction: SessionIntroduction, now: number): boolean {
    const db = this.#stored();
    return db !== undefined && introduceMcpSession(db, reference, introduction, now);
  }

  setUpstream(reference: SessionReference, change: UpstreamChange, now: number): McpSessionRecord | undefined {
    const db = this.#stored();
    return db && setMcpSessionUpstream(db, reference, change, now);
  }

  get(sessionHash: string, now: number): McpSessionRecord | undefined {
    const db = this.#stored();
    return db && getMcpSession(db, sessionHash, now);
  }

  async end(sessionHash: string, now: number, event: AuditEvent): Promise<boolean> {
    const db = this.#stored();
    const session = db && getMcpSession(db, sessionHash, now);
    if (db === undefined || session === undefined) return false;
    db.transaction(() => {
      endMcpSession(db, outboxConsequences(db), sessionHash, now, event);
      postListing(db, session, true);
    });
    dismissFollowers(this.ctx);
    await this.#tellOthers();
    return true;
  }

  /** @returns to how many followers it was handed */
  signal(signal: string): number {
    return tellFollowers(this.ctx, signal);
  }

  /** Answers with a WebSocket that hears the session's signals; it ended before it was followed when there is none. */
  override fetch(): Response {
    const response = acceptFollower(this.ctx);
    const db = this.#stored();
    if (db === undefined || storedSession(db) === undefined) dismissFollowers(this.ctx);
    return response;
  }

  /** Whoever follows has stopped, and waits for the answer to that. */
  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  override async alarm(): Promise<void> {
    await ring(this.#log, this.ctx.storage, async () => {
      this.#expire();
      return this.#deliver();
    });
  }

  #stored(): SqlDatabase | undefined {
    this.#open ??= openStoredSession(this.ctx.storage);
    return this.#open;
  }

  #expire(): void {
    const db = this.#stored();
    const session = db && storedSession(db);
    if (db === undefined || session === undefined) return;
    const isExpired = db.transaction(() => {
      expireMcpSessions(db, outboxConsequences(db), Date.now(), 1);
      if (storedSession(db) !== undefined) return false;
      postListing(db, session, true);
      return true;
    });
    if (isExpired) dismissFollowers(this.ctx);
  }

  /**
   * Others learn of a change after it was answered. The alarm that tells them after a crash is set in the same turn as the
   * change, and so in the same commit.
   */
  async #tellOthers(): Promise<void> {
    const set = this.ctx.storage.setAlarm(Date.now() + REDELIVERY_DELAY);
    this.ctx.waitUntil(this.#deliver().then((failures) => this.#log.failures(failures)));
    await set;
  }

  /** One delivery at a time: the last one finds that nothing is left, and no other then works on what it deletes. */
  async #deliver(): Promise<readonly DeliveryFailure[]> {
    while (this.#delivery !== undefined) await this.#delivery;
    const delivery = this.#deliverNow().catch((cause: unknown) => [{ kind: "session", cause }]);
    this.#delivery = delivery;
    const failures = await delivery;
    this.#delivery = undefined;
    return failures;
  }

  async #deliverNow(): Promise<readonly DeliveryFailure[]> {
    const db = this.#stored();
    if (db === undefined) return [];
    const [listings, events] = await Promise.all([deliverListings(db, this.env), deliverEvents(db, this.env)]);
    if (lastPosted(db) === 0) await this.#settle(db);
    return [...listings, ...events.failures];
  }

  /** With nothing left to tell: the next alarm is for the session's expiry, and one that is over is forgotten. */
  async #settle(db: SqlDatabase): Promise<void> {
    const expiry = expiryAlarm(db);
    if (expiry !== undefined) return this.ctx.storage.setAlarm(expiry);
    this.#open = undefined;
    await this.ctx.storage.deleteAll();
  }
}

/** A session of no organization is in no list. */
function postListing(db: SqlDatabase, session: McpSessionRecord, isOver: boolean): void {
  const { organizationId, startedAt, sessionHash } = session;
  if (organizationId === undefined) return;
  postOutbox(db, { kind: "listing", session: { organizationId, startedAt, sessionHash }, isOver });
}
