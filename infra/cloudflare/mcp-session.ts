import { DurableObject } from "cloudflare:workers";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { EXPIRY_MARGIN } from "../../lib/stores/expiry-margin.ts";
import type { UpstreamChange } from "../../lib/stores/mcp-session-upstreams.ts";
import type {
  McpLogLevel,
  McpSessionRecord,
  SessionIntroduction,
  SessionReference,
} from "../../lib/stores/mcp-sessions.ts";
import type { SessionSignal } from "../../lib/stores/session-channel.ts";
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
import { mcpSessionMigrations } from "../../lib/stores/sql/migrations/mcp-sessions.ts";
import { outboxMigrations } from "../../lib/stores/sql/migrations/outbox.ts";
import { lastPosted, outboxEffects, postOutbox } from "../../lib/stores/sql/outbox.ts";
import { REDELIVERY_DELAY, runAlarm } from "./alarm.ts";
import { openDatabase } from "./database.ts";
import type { StateBindings } from "./env.ts";
import { type DeliveryFailure, objectLog } from "./log.ts";
import type { MCP_SESSION, Methods } from "./object-operations.ts";
import { deliverEvents, deliverListings } from "./outbox.ts";

/**
 * One session of an agent, named by its hash, and the requests that follow it. It stores nothing before it is created, so
 * that asking for sessions that do not exist costs nothing, and nothing once it is over and others were told.
 */
export class McpSession extends DurableObject<StateBindings> implements Methods<typeof MCP_SESSION> {
  readonly #log = objectLog("session");
  #open: SqlDatabase | undefined;
  #delivery: Promise<readonly DeliveryFailure[]> | undefined;

  async create(session: McpSessionRecord, event: AuditEvent): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      const db = openSession(this.ctx.storage);
      createMcpSession(db, outboxEffects(db), session, event);
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
      endMcpSession(db, outboxEffects(db), sessionHash, now, event);
      postListing(db, session, true);
    });
    dismissFollowers(this.ctx);
    await this.#tellOthers();
    return true;
  }

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
    await runAlarm(this.#log, this.ctx.storage, async () => {
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
      expireMcpSessions(db, outboxEffects(db), Date.now(), 1);
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

/** No error: the session is over (RFC 6455 §7.4.1). */
const NORMAL = 1000;

/** Answers with a WebSocket that hears every later signal. It keeps the object from ending, not from sleeping. */
function acceptFollower(ctx: DurableObjectState): Response {
  const { 0: theirs, 1: ours } = new WebSocketPair();
  ctx.acceptWebSocket(ours);
  return new Response(null, { status: 101, webSocket: theirs });
}

/** @returns how many sockets took the signal */
function tellFollowers(ctx: DurableObjectState, signal: string): number {
  return ctx.getWebSockets().filter((socket) => tell(socket, signal)).length;
}

/** Tells that the session is over, and that nothing more comes. */
function dismissFollowers(ctx: DurableObjectState): void {
  const ended: SessionSignal = { kind: "ended" };
  tellFollowers(ctx, JSON.stringify(ended));
  for (const socket of ctx.getWebSockets()) socket.close(NORMAL);
}

/** One that is closing refuses. */
function tell(socket: WebSocket, signal: string): boolean {
  if (socket.readyState !== WebSocket.OPEN) return false;
  try {
    socket.send(signal);
    return true;
  } catch {
    return false;
  }
}

/** Makes the tables of a session where there are none. */
function openSession(storage: DurableObjectStorage): SqlDatabase {
  return openDatabase(storage, [mcpSessionMigrations, outboxMigrations]);
}

/** The tables of a session that was created and is not forgotten yet. Undefined, and nothing is written, where none are. */
function openStoredSession(storage: DurableObjectStorage): SqlDatabase | undefined {
  const tables = storage.sql.exec("SELECT 1 FROM sqlite_schema WHERE name = 'mcp_sessions'").toArray();
  return tables.length === 0 ? undefined : openSession(storage);
}

/** The object's session, also one that has expired and is not recorded as such. */
function storedSession(db: SqlDatabase): McpSessionRecord | undefined {
  const hash = db.all("SELECT session_hash FROM mcp_sessions")[0]?.session_hash;
  return hash === undefined ? undefined : getMcpSession(db, String(hash), 0);
}

/**
 * When the alarm has to ring for the session's expiry, unless it is used again: once it is over for callers whose clocks are
 * behind, too. Undefined when no session is left.
 */
function expiryAlarm(db: SqlDatabase): number | undefined {
  const expiry = db.all("SELECT expires_at FROM mcp_sessions")[0]?.expires_at;
  return expiry === undefined ? undefined : Number(expiry) + EXPIRY_MARGIN;
}
