import { DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import { sessionExpiresAt } from "../../../lib/stores/mcp-session-expiry.ts";
import { withoutUpstreams } from "../../../lib/stores/mcp-session-upstreams.ts";
import type { McpSessionRecord } from "../../../lib/stores/mcp-sessions.ts";
import type { Page, PageRequest } from "../../../lib/stores/paging.ts";
import type { Item } from "./attributes.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { conditional } from "./conditional.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes } from "./items.ts";
import { mcpSessionListPartition } from "./keys.ts";
import { endExpired } from "./mcp-session-end.ts";
import { readSessions } from "./mcp-session-items.ts";
import { readRange } from "./reads.ts";

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
