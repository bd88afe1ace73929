import { type Port, read, write } from "./operations.ts";
import type { Page, PageRequest, Total } from "./paging.ts";

/**
 * `config.loaded` is recorded by a Node process that starts. Instances at the edge start and end with the load, many at a
 * time: a record of each would say nothing about the configuration.
 */
export type AuditEventType =
  | "tool.invoked"
  | "resource.read"
  | "prompt.got"
  | "method.used"
  | "web.requested"
  | "token.issued"
  | "token.refused"
  | "token.revoked"
  | "token.exchanged"
  | "token.impersonated"
  | "consent.given"
  | "consent.revoked"
  | "client.registered"
  | "approval.requested"
  | "approval.approved"
  | "approval.refused"
  | "approval.expired"
  | "approval.consumed"
  | "approval.withdrawn"
  | "connection.requested"
  | "connection.completed"
  | "connection.refused"
  | "connection.refreshed"
  | "connection.lost"
  | "connection.revoked"
  | "signing_keys.changed"
  | "api_client.created"
  | "api_client.updated"
  | "api_client.deleted"
  | "key_pair.added"
  | "key_pair.revoked"
  | "organization.created"
  | "organization.updated"
  | "organization.deleted"
  | "member.added"
  | "member.invited"
  | "member.role_changed"
  | "member.removed"
  | "invitation.revoked"
  | "passkey.added"
  | "passkey.removed"
  | "identity.linked"
  | "identity.unlinked"
  | "browser_session.ended"
  | "web_session.ended"
  | "settings.changed"
  | "overrides.changed"
  | "stop.placed"
  | "stop.lifted"
  | "signal.received"
  | "signal.refused"
  | "tool.pinned"
  | "tool.held"
  | "tool.approved"
  | "tool.refused"
  | "tool.forgotten"
  | "sign_in_link.created"
  | "sign_in.succeeded"
  | "sign_in.refused"
  | "session.started"
  | "session.terminated"
  | "session.expired"
  | "config.loaded"
  | "config.proposed"
  | "config.proposalWithdrawn"
  | "config.published"
  | "config.activated"
  | "config.refused"
  | "deployment.probed";

/** `unknown` is what a record reads while its call is open, and for ever when the process died in between (D27). */
export type AuditOutcome = "success" | "tool_error" | "denied" | "upstream_error" | "cancelled" | "refused" | "unknown";

/** One fact, or refusals of a kind with their number, written once. No token, key, argument or result is ever part of it. */
export interface AuditEvent {
  /** ULID; also the idempotency key of the record. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly type: AuditEventType;
  /** The organization that may read the record; absent on instance-wide ones (D32). */
  readonly organizationId?: string;
  readonly outcome: AuditOutcome;
  /** Who did it: `client_…`, a person's id, or `operator:<login name>` for the CLI. */
  readonly actor?: string;
  /** The acting API client or agent. */
  readonly agent?: string;
  /** The person it acts for. */
  readonly user?: string;
  readonly actChain?: readonly string[];
  readonly app?: string;
  /** Of `resource.read`, `prompt.got`, `method.used` and `web.requested` the app's name, too. */
  readonly tool?: string;
  /** A short, stable code or sentence; never input of the caller. */
  readonly reason?: string;
  readonly durationMs?: number;
  readonly requestId?: string;
  readonly region?: string;
  /** The publication of the configuration that decided; absent: it came with the instance. */
  readonly configRevision?: number;
  /** SHA-256 of the canonical JSON of a tool call's arguments, base64url. */
  readonly argumentsDigest?: string;
  /** What those whose ids the record has were called when it was written, by id. They choose these texts, which are cut. */
  readonly names?: Readonly<Record<string, string>>;
  /** Type-specific references, for example `tokenId`, `keyPairId`, `clientId`; `resource`, `prompt`, `method`, `host` and `path` are the caller's texts, cut. */
  readonly details?: Readonly<Record<string, string>>;
  /** How many there were, where a record stands for several (D157); absent: one. It has only those members that all of them share. */
  readonly count?: number;
  /** With `count`: when the first of them came, milliseconds since the epoch. */
  readonly since?: number;
}

export interface AuditFilter {
  /** Absent: instance-wide records. */
  readonly organizationId: string | undefined;
  readonly type?: string;
  readonly actor?: string;
  readonly agent?: string;
  readonly user?: string;
  readonly tool?: string;
  readonly outcome?: AuditOutcome;
  readonly requestId?: string;
  /** In lower case: what a record `mentions`. */
  readonly q?: string;
  /** Inclusive, milliseconds. */
  readonly from?: number;
  /** Exclusive, milliseconds. */
  readonly to?: number;
}

/**
 * Whether a record mentions a text, which is in lower case: in a name, an id of who did it, in what it was done with, what came of it and
 * why, or in the scopes that it is about.
 */
export function mentions(
  { tool, app, outcome, reason, requestId, actor, agent, user, names, details, id }: AuditEvent,
  text: string,
): boolean {
  const scopes = [details?.scopes, details?.missing];
  const all = [id, tool, app, outcome, reason, requestId, actor, agent, user, ...scopes, ...Object.values(names ?? {})];
  return all.some((each) => each?.toLowerCase().includes(text));
}

export interface AuditPageRequest extends PageRequest {
  /** Also how many there are on all pages together. The first page tells it; without this it costs nothing. */
  readonly withTotal?: boolean;
}

/** As many records are counted exactly. On DynamoDB, and where a search looks at its limit, fewer. */
export const MAX_AUDIT_TOTAL = 10_000;

/** A page of records. */
export interface AuditPage extends Page<AuditEvent> {
  readonly total?: Total;
  /** Where a search ended because it had looked at so many, and not because the page was full: the time of the last record that it saw, milliseconds. */
  readonly searchedTo?: number;
}

export interface AuditCompletion extends Pick<AuditEvent, "outcome" | "reason" | "durationMs"> {
  /** Added to the record's details, with which it has to be begun. Names are letters. */
  readonly details?: Readonly<Record<string, string>>;
}

/** What is summed up of each of these while records are written (D268). Calls that are open are in no sum. */
export type SummedType = "tool.invoked" | "token.issued" | "token.exchanged" | "token.refused";

/** Milliseconds that one sum is about, while it is young: intervals of tallies are multiples of it. */
export const AUDIT_SUM_SLOT = 300_000;

/** Records of one organization in a time, counted by intervals. */
export interface AuditTallyRequest {
  readonly organizationId: string;
  readonly types: readonly SummedType[];
  /** Inclusive, milliseconds; a multiple of `AUDIT_SUM_SLOT`, of an hour if older than one, of six if older than a day, of a day if older than a week. */
  readonly from: number;
  /** Exclusive, milliseconds. */
  readonly to: number;
  /** Milliseconds. */
  readonly interval: number;
}

/** The records of an interval that agree in type, outcome and app. */
export interface AuditIntervalCount {
  /** Beginning of the interval: `from` plus a multiple of it. */
  readonly start: number;
  readonly type: AuditEventType;
  readonly outcome: AuditOutcome;
  readonly app?: string;
  readonly count: number;
}

/** The records of the whole time that agree in everything that is named here. */
export interface AuditKindSum {
  readonly type: AuditEventType;
  readonly outcome: AuditOutcome;
  readonly app?: string;
  readonly tool?: string;
  readonly reason?: string;
  /** The name of the limit that refused them. */
  readonly limit?: string;
  readonly count: number;
  /** How many of them say how long they took; then the sum and the longest, milliseconds. */
  readonly timed: number;
  readonly durationMs: number;
  readonly longestMs: number;
}

export interface AuditTally {
  readonly counts: readonly AuditIntervalCount[];
  /** The largest, up to `MAX_AUDIT_KINDS`. */
  readonly kinds: readonly AuditKindSum[];
  /** False: the oldest are not in it. */
  readonly complete: boolean;
  /** Where it is not complete: since when it is, milliseconds. */
  readonly countedFrom?: number;
}

export const MAX_AUDIT_KINDS = 2_000;

/** Days of one organization, or of the instance, in UTC as `2026-11-20`, both inclusive. */
export interface AuditCountRequest {
  readonly organizationId: string | undefined;
  readonly from: string;
  readonly to: string;
}

/** What a day had of a type and outcome. */
export interface AuditDayCount {
  readonly day: string;
  readonly type: AuditEventType;
  readonly outcome: AuditOutcome;
  readonly count: number;
}

export const AUDIT_LOG = {
  /** Durable when it resolves. The record reads `unknown` until completed. */
  begin: write<(event: AuditEvent) => void>(),
  /** Completes a begun record, once: a second completion changes nothing. */
  complete: write<(event: Pick<AuditEvent, "id" | "time" | "organizationId">, completion: AuditCompletion) => void>(),
  /** Durable when it resolves; repeating the same id changes nothing. */
  append: write<(event: AuditEvent) => void>(),
  /** Newest first. Where few of very many match, a page may be short or empty, and not the last. */
  query: read<(filter: AuditFilter, page: AuditPageRequest) => AuditPage>(),
  /** What the records of a time stand for. The work is bounded whatever there is: on DynamoDB the newest some thousands are counted. */
  tally: read<(request: AuditTallyRequest) => AuditTally>(),
  /** What is left of records that were deleted by their age, in order of days (D158). */
  kept: read<(request: AuditCountRequest) => readonly AuditDayCount[]>(),
};

export type AuditLog = Port<typeof AUDIT_LOG>;
