import type { JsonObject } from "../../../lib/kernel/json.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import { sessionExpired, sessionExpiresAt } from "../../../lib/stores/mcp-session-expiry.ts";
import { type UpstreamSessions, upstreamsSize } from "../../../lib/stores/mcp-session-upstreams.ts";
import type { McpSessionRecord, SessionIntroduction, UpstreamSession } from "../../../lib/stores/mcp-sessions.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { fromItem, type Item, keyAttributes, toItem } from "./items.ts";
import { mcpSessionKey, mcpSessionListKey } from "./keys.ts";
import { readItems, readRecord } from "./reads.ts";
import { transact } from "./writes.ts";

/**
 * How long an item outlives its session, milliseconds. DynamoDB removes without a word, and the record of an expiry is
 * written by who notices it: this is for regions that nobody asks anything for as long (D73).
 */
const KEPT = 30 * 24 * 3_600_000;

/** What the client said of itself is kept as the text it was: JSON has nulls, numbers and depths that attributes have not. */
type StoredIntroduction = Readonly<Record<keyof SessionIntroduction, string>>;

type StoredSession = Omit<McpSessionRecord, keyof SessionIntroduction | "upstreams"> & StoredIntroduction;

/** What names the attributes of the sessions at upstreams, in front of the app: each changes without the others. */
const UPSTREAM = "upstream#";
/** The attribute with the size of all of them, so that two that come at once do not take the same room. */
export const UPSTREAMS_SIZE = "upstreamsSize";

export function toSessionItem({ upstreams, ...session }: McpSessionRecord): Item {
  const stored: StoredSession = { ...session, ...introductionTexts(session) };
  return toItem(
    mcpSessionKey(session.sessionHash),
    { ...stored, ...(upstreams !== undefined && toUpstreamAttributes(upstreams)) },
    removableAt(session),
  );
}

export function introductionTexts({ clientInfo, clientCapabilities }: SessionIntroduction): StoredIntroduction {
  return { clientInfo: JSON.stringify(clientInfo), clientCapabilities: JSON.stringify(clientCapabilities) };
}

export function upstreamAttribute(app: string): string {
  return UPSTREAM + app;
}

/** Text that is the same for the same session, also when it was read. */
export function upstreamText(upstream: UpstreamSession): string {
  return JSON.stringify(upstream);
}

/** The session in an item that `toSessionItem` made. */
export function sessionOf(item: Item): McpSessionRecord {
  return parsed(fromItem<StoredSession>(item));
}

/** When DynamoDB may remove the session, milliseconds. */
export function removableAt(session: Pick<McpSessionRecord, "lastSeenAt" | "timeout">): number {
  return sessionExpiresAt(session) + KEPT;
}

/** A strongly consistent read of one session, live or not. */
async function readSession(database: Database, sessionHash: string): Promise<McpSessionRecord | undefined> {
  const stored = await readRecord<StoredSession>(database, "sessions", mcpSessionKey(sessionHash));
  return stored && parsed(stored);
}

/** Strongly consistent reads of many, live or not, by their hashes; what is gone is left out. The hashes are distinct. */
export async function readSessions(
  database: Database,
  sessionHashes: readonly string[],
): Promise<ReadonlyMap<string, McpSessionRecord>> {
  const items = await readItems(database, "sessions", sessionHashes.map(mcpSessionKey));
  return new Map(items.map(sessionOf).map((session) => [session.sessionHash, session]));
}

function parsed(stored: StoredSession): McpSessionRecord {
  const attributes = Object.entries(stored);
  const session = attributes.filter(([name]) => !name.startsWith(UPSTREAM) && name !== UPSTREAMS_SIZE);
  const upstreams = attributes.filter(([name]) => name.startsWith(UPSTREAM));
  return {
    ...(Object.fromEntries(session) as StoredSession),
    clientInfo: JSON.parse(stored.clientInfo) as McpSessionRecord["clientInfo"],
    clientCapabilities: JSON.parse(stored.clientCapabilities) as JsonObject,
    ...(upstreams.length > 0 && { upstreams: parsedUpstreams(upstreams) }),
  };
}

function toUpstreamAttributes(upstreams: UpstreamSessions): object {
  const texts = Object.entries(upstreams).map(([app, upstream]) => [upstreamAttribute(app), upstreamText(upstream)]);
  return { ...Object.fromEntries(texts), [UPSTREAMS_SIZE]: upstreamsSize(upstreams) };
}

function parsedUpstreams(attributes: readonly (readonly [string, unknown])[]): UpstreamSessions {
  return Object.fromEntries(
    attributes.map(([name, text]) => [name.slice(UPSTREAM.length), JSON.parse(String(text)) as UpstreamSession]),
  );
}

/** A strongly consistent read of a live session. One that is over is ended with its record. */
export async function readLiveSession(
  database: Database,
  audit: AuditWriter,
  sessionHash: string,
  now: number,
): Promise<McpSessionRecord | undefined> {
  const session = await readSession(database, sessionHash);
  if (session === undefined || sessionExpiresAt(session) > now) return session;
  await endExpired(database, audit, session);
  return undefined;
}

/** Ends an expired session with its record. False when another has ended it, or used it by a clock that is behind. */
export function endExpired(database: Database, audit: AuditWriter, read: McpSessionRecord): Promise<boolean> {
  return endSession(database, audit, read, sessionExpired(read), { onlyAsRead: true });
}

/**
 * Removes a session and its listing together with the event. False, and nothing is recorded, when it is gone.
 * Its entry among the due ones stays for the sweep: where it lies, nobody but the sweep knows.
 */
export async function endSession(
  database: Database,
  audit: AuditWriter,
  read: McpSessionRecord,
  event: AuditEvent,
  { onlyAsRead = false } = {},
): Promise<boolean> {
  const { sessionHash, organizationId, startedAt, lastSeenAt } = read;
  const TableName = database.tables.sessions;
  const condition = onlyAsRead
    ? {
        ConditionExpression: "lastSeenAt = :read",
        ExpressionAttributeValues: { ":read": { N: String(lastSeenAt) } },
      }
    : { ConditionExpression: "attribute_exists(pk)" };
  const failed = await transact(database, {
    session: { Delete: { TableName, Key: keyAttributes(mcpSessionKey(sessionHash)), ...condition } },
    listing:
      organizationId === undefined
        ? undefined
        : { Delete: { TableName, Key: keyAttributes(mcpSessionListKey(organizationId, startedAt, sessionHash)) } },
    event: await audit.write(event),
  });
  return failed.size === 0;
}
