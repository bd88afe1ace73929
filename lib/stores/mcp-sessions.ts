import type { JsonObject } from "../kernel/json.ts";
import type { AuditEvent } from "./audit-log.ts";
import { once, type Port, read, write } from "./operations.ts";
import type { Page, PageRequest } from "./paging.ts";

/** Severities of MCP log messages (RFC 5424 §6.2.1), from the least. */
export const MCP_LOG_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

export type McpLogLevel = (typeof MCP_LOG_LEVELS)[number];

export function isLogLevel(value: unknown): value is McpLogLevel {
  return MCP_LOG_LEVELS.some((level) => level === value);
}

/** An agent's session: enough to go on with it in another process. Times in milliseconds since the epoch. */
export interface McpSessionRecord {
  /** SHA-256 of the id that the client holds, base64url; names the session wherever it is spoken of. The id is never stored. */
  readonly sessionHash: string;
  readonly transport: "stream" | "sse";
  /** Whom it belongs to, as one text that only requests of the same caller come to. */
  readonly principal: string;
  /** The organization that may see and end it (D32). */
  readonly organizationId?: string;
  /** The authorization server that vouched for agent and user; all three absent where nobody is authenticated. */
  readonly issuer?: string;
  readonly agent?: string;
  readonly user?: string;
  /** Of the token that it began with: the key pair, and the clients that began its chain. A stop of them ends it. */
  readonly keyPairId?: string;
  readonly apiClientId?: string;
  readonly agentId?: string;
  /** Of the instance, for the audit records of its end. */
  readonly region?: string;
  readonly protocolVersion: string;
  /** What the client says of itself; on the legacy transport nothing until it is introduced. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly clientCapabilities: JsonObject;
  /** What the client asked to be told; absent: it did not ask. */
  readonly logLevel?: McpLogLevel;
  /** Sessions at upstream MCP servers, by app; absent: none yet. Lists leave them out. */
  readonly upstreams?: Readonly<Record<string, UpstreamSession>>;
  readonly startedAt: number;
  /** Of the last use that was written down. */
  readonly lastSeenAt: number;
  /** How long it may idle, milliseconds. */
  readonly timeout: number;
}

/** A session of ours at an upstream MCP server, on behalf of one session of an agent. */
export interface UpstreamSession {
  /** Random; tells what was written down from what others write. Each change has another one. */
  readonly key: string;
  /** What the upstream knows it by, shown to nobody else; absent: it keeps none. */
  readonly sessionId?: string;
  /** Agreed on with the upstream. */
  readonly protocolVersion: string;
  /** Digest of the upstream's URL and whom it takes the agent to be; absent: the release that wrote it down did not tell. */
  readonly boundTo?: string;
  /** URIs that the agent subscribed to, as the upstream has them; absent: none. */
  readonly subscriptions?: readonly string[];
}

/** What a client says of itself in its handshake. */
export type SessionIntroduction = Pick<McpSessionRecord, "clientInfo" | "clientCapabilities">;

/** A session as a request presents it. */
export interface SessionReference {
  readonly sessionHash: string;
  readonly principal: string;
}

/**
 * Sessions of agents. A session is live until it is ended or `sessionExpiresAt` has come; one that is over, unknown or of
 * another principal is all the same to whoever presents it. Linearizable, except for `list`.
 */
export const MCP_SESSIONS = {
  /** Durable together with the event, `session.started`. */
  create: once<(session: McpSessionRecord, event: AuditEvent) => void>(),
  /** The live session; its use is written down when `isUseDue`. */
  use: write<(reference: SessionReference, now: number) => McpSessionRecord | undefined>(),
  /** Resolves to false when the session is not live. */
  setLogLevel: write<(reference: SessionReference, level: McpLogLevel, now: number) => boolean>(),
  /**
   * Writes down what the client says of itself where the session began before it said anything; the last time counts. Resolves to
   * false when the session is not live. It is no use of it.
   */
  introduce: write<(reference: SessionReference, introduction: SessionIntroduction, now: number) => boolean>(),
  /**
   * Writes down the session at the upstream of an app, if the one that is there has the key `replaces` (undefined: if there is
   * none). Resolves to the session as it is then, whoever came first; undefined when it is not live. It is no use of it.
   *
   * The key that the app's session has then tells what happened: that of `upstream`, it was written down; `replaces`, there is
   * no room for it (`UPSTREAMS_LIMIT`); any other, somebody else came first. Asking again with the same changes nothing.
   */
  setUpstream:
    write<
      (
        reference: SessionReference,
        app: string,
        upstream: UpstreamSession,
        replaces: string | undefined,
        now: number,
      ) => McpSessionRecord | undefined
    >(),
  /** The live session, without a use of it: for its administration. */
  get: read<(sessionHash: string, now: number) => McpSessionRecord | undefined>(),
  /** Ends a live session, durable together with the event. Resolves to false, and records nothing, when it was over. */
  end: once<(sessionHash: string, now: number, event: AuditEvent) => boolean>(),
  /** Live sessions of an organization, newest first, without those at upstreams; may be late by seconds. */
  list: read<(organizationId: string, now: number, page: PageRequest) => Page<McpSessionRecord>>(),
};

export type McpSessions = Port<typeof MCP_SESSIONS>;
