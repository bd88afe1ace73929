import { DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import { sessionExpiresAt } from "../../../lib/stores/mcp-session-expiry.ts";
import { withoutUpstreams } from "../../../lib/stores/mcp-session-upstreams.ts";
import type { McpSessionRecord, McpSessions } from "../../../lib/stores/mcp-sessions.ts";
import type { Page, PageRequest } from "../../../lib/stores/paging.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { fromItem, type Item, keyAttributes, toItem } from "./items.ts";
import { mcpSessionListKey, mcpSessionListPartition } from "./keys.ts";
import { endExpired, endSession, readLiveSession, readSessions, toSessionItem } from "./mcp-session-items.ts";
import { toDueItem } from "./mcp-session-sweep.ts";
import { introduceSession, setSessionLogLevel, setSessionUpstream, useSession } from "./mcp-session-use.ts";
import { decodeCursor, encodeCursor, readRange } from "./reads.ts";
import { conditional, transact } from "./writes.ts";

/**
 * Agents' sessions in the sessions table: one item a session, one in the list of its organization, and one by which the
 * sweep finds it. A session is there until its end is recorded; whoever comes upon one that has expired records that (D73).
 */
export function dynamoMcpSessions(database: Database, audit: AuditWriter): McpSessions {
  return {
    create: (session, event) => create(database, audit, session, event),
    use: (reference, now) => useSession(database, audit, reference, now),
    setLogLevel: (reference, level, now) => setSessionLogLevel(database, audit, reference, level, now),
    introduce: (reference, introduction, now) => introduceSession(database, audit, reference, introduction, now),
    setUpstream: (reference, app, upstream, replaces, now) =>
      setSessionUpstream(database, audit, reference, { app, upstream, replaces }, now),
    get: (sessionHash, now) => readLiveSession(database, audit, sessionHash, now),
    end: (sessionHash, now, event) => end(database, audit, sessionHash, now, event),
    list: (organizationId, now, page) => listSessions(database, audit, organizationId, now, page),
  };
}

async function create(
  database: Database,
  audit: AuditWriter,
  session: McpSessionRecord,
  event: AuditEvent,
): Promise<void> {
  const { sessionHash, organizationId, startedAt } = session;
  const TableName = database.tables.sessions;
  const failed = await transact(database, {
    session: { Put: { TableName, Item: toSessionItem(session), ConditionExpression: "attribute_not_exists(pk)" } },
    listing:
      organizationId === undefined
        ? undefined
        : {
            Put: {
              TableName,
              Item: toItem(mcpSessionListKey(organizationId, startedAt, sessionHash), { sessionHash }),
            },
          },
    due: { Put: { TableName, Item: toDueItem(session) } },
    event: await audit.write(event),
  });
  if (failed.size > 0) throw new Error("a session with the same hash exists");
}

async function end(
  database: Database,
  audit: AuditWriter,
  sessionHash: string,
  now: number,
  event: AuditEvent,
): Promise<boolean> {
  const session = await readLiveSession(database, audit, sessionHash, now);
  return session !== undefined && endSession(database, audit, session, event);
}

/** Listings one page looks at; where most sessions are over, pages are short and have a cursor instead of a long wait. */
const MAX_EXAMINED = 500;
/** Listings read beyond those asked for, some of which may be over. */
const SPARE = 10;
const MAX_CHUNK = 100;
/** A sort key of the organization's list. */
const POSITION = /^\d{16}#[!-~]{1,128}$/;

interface Listing {
  readonly sessionHash: string;
  readonly position: string;
}

interface Listed extends Listing {
  /** Absent: over. */
  readonly live?: McpSessionRecord | undefined;
}

/** Newest first. Reads listings and then the sessions that they name; what is over is left out, and put in order. */
export async function listSessions(
  database: Database,
  audit: AuditWriter,
  organizationId: string,
  now: number,
  page: PageRequest,
): Promise<Page<McpSessionRecord>> {
  const items: McpSessionRecord[] = [];
  let examined = 0;
  let last: string | undefined;
  for await (const { live, position } of examine(database, audit, organizationId, now, page)) {
    const isFull = live !== undefined && items.length === page.limit;
    if (isFull || examined === MAX_EXAMINED) return { items, ...(last && { nextCursor: encodeCursor(last) }) };
    if (live !== undefined) items.push(live);
    last = position;
    examined++;
  }
  return { items };
}

/** Chunk by chunk, as they are taken. */
async function* examine(
  database: Database,
  audit: AuditWriter,
  organizationId: string,
  now: number,
  page: PageRequest,
): AsyncGenerator<Listed, undefined> {
  const size = Math.min(page.limit + SPARE, MAX_CHUNK);
  let chunk: Listing[] = [];
  for await (const item of readListings(database, organizationId, page.cursor, size)) {
    chunk.push({ sessionHash: fromItem<Listing>(item).sessionHash, position: item.sk?.S as string });
    if (chunk.length < size) continue;
    yield* await settle(database, audit, organizationId, now, chunk);
    chunk = [];
  }
  yield* await settle(database, audit, organizationId, now, chunk);
  return undefined;
}

function readListings(
  database: Database,
  organizationId: string,
  cursor: string | undefined,
  pageSize: number,
): AsyncGenerator<Item, undefined> {
  const after = decodeCursor(cursor, POSITION);
  return readRange(database, {
    table: "sessions",
    partition: mcpSessionListPartition(organizationId),
    direction: "descending",
    pageSize,
    ...(after !== undefined && { after }),
  });
}

/** Which of them are live. Ends those that have expired, and removes the listings of those that are gone. */
async function settle(
  database: Database,
  audit: AuditWriter,
  organizationId: string,
  now: number,
  listings: readonly Listing[],
): Promise<readonly Listed[]> {
  const sessions = await readSessions(
    database,
    listings.map(({ sessionHash }) => sessionHash),
  );
  return Promise.all(
    listings.map(async (listing) => {
      const session = sessions.get(listing.sessionHash);
      if (session === undefined) await removeListing(database, organizationId, listing);
      else if (sessionExpiresAt(session) > now) return { ...listing, live: withoutUpstreams(session) };
      else await endExpired(database, audit, session);
      return listing;
    }),
  );
}

/** No session comes back under its hash, so that a listing without one is of no use to anybody. */
async function removeListing(database: Database, organizationId: string, { position }: Listing): Promise<void> {
  const Key = keyAttributes({ pk: mcpSessionListPartition(organizationId), sk: position });
  const TableName = database.tables.sessions;
  await conditional(database, () => database.client.send(new DeleteItemCommand({ TableName, Key })));
}
