import { DeleteItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { EXPIRY_MARGIN } from "../../../lib/stores/expiry-margin.ts";
import { sessionExpiresAt } from "../../../lib/stores/mcp-session-expiry.ts";
import type { McpSessionRecord } from "../../../lib/stores/mcp-sessions.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { fromItem, type Item, keyAttributes, toItem } from "./items.ts";
import { type ItemKey, mcpSessionDueKey, mcpSessionDuePartition, positionAt } from "./keys.ts";
import { endExpired, readSessions } from "./mcp-session-items.ts";
import { readRange } from "./reads.ts";
import { conditional } from "./writes.ts";

/** Partitions the due entries are spread over. */
const DUE_SHARDS = 4;
/** Sessions one sweep looks at: what a request's instance can do behind its answer without being missed. */
const SWEEP_SIZE = 25;

/**
 * An entry by which the sweep finds the session once it could be over. Uses leave it where it is: the sweep moves it when
 * it comes to it, so that a use costs nothing more.
 */
export function toDueItem(session: McpSessionRecord): Item {
  const { sessionHash } = session;
  const key = mcpSessionDueKey(shardOf(sessionHash), sessionExpiresAt(session), sessionHash);
  return toItem(key, { sessionHash });
}

/**
 * Ends some of the sessions that expired before the margin, with their records. True when there may be more. The shards
 * come in random order, so that instances that sweep at once do not all meet at the same sessions.
 */
export async function sweepSessions(database: Database, audit: AuditWriter, now: number): Promise<boolean> {
  const before = Math.max(now - EXPIRY_MARGIN, 0);
  const first = database.random.bytes(1)[0] as number;
  let left = SWEEP_SIZE;
  for (let shard = 0; shard < DUE_SHARDS && left > 0; shard++) {
    const entries = await dueEntries(database, (first + shard) % DUE_SHARDS, before, left);
    await settle(database, audit, entries, before);
    left -= entries.length;
  }
  return left === 0;
}

async function dueEntries(database: Database, shard: number, before: number, limit: number): Promise<readonly Due[]> {
  const partition = mcpSessionDuePartition(shard);
  const end = positionAt(before + 1);
  const range = { table: "sessions", partition, direction: "ascending", pageSize: limit } as const;
  const entries: Due[] = [];
  for await (const item of readRange(database, range)) {
    const position = item.sk?.S as string;
    if (position >= end) break;
    entries.push({
      sessionHash: fromItem<{ sessionHash: string }>(item).sessionHash,
      key: { pk: partition, sk: position },
    });
    if (entries.length === limit) break;
  }
  return entries;
}

interface Due {
  readonly sessionHash: string;
  readonly key: ItemKey;
}

async function settle(database: Database, audit: AuditWriter, entries: readonly Due[], before: number): Promise<void> {
  const hashes = new Set(entries.map(({ sessionHash }) => sessionHash));
  const sessions = await readSessions(database, [...hashes]);
  await Promise.all(
    entries.map((entry) => settleOne(database, audit, entry.key, sessions.get(entry.sessionHash), before)),
  );
}

/** The entry goes last, after what it was there for: a sweep that dies in between is made good by the next one. */
async function settleOne(
  database: Database,
  audit: AuditWriter,
  key: ItemKey,
  session: McpSessionRecord | undefined,
  before: number,
): Promise<void> {
  const { client, tables } = database;
  const TableName = tables.sessions;
  const isOver = session !== undefined && sessionExpiresAt(session) <= before;
  // Used or ended since it was read: the next sweep sees which.
  if (isOver && !(await endExpired(database, audit, session))) return;
  if (session !== undefined && !isOver) {
    await conditional(database, () => client.send(new PutItemCommand({ TableName, Item: toDueItem(session) })));
  }
  await conditional(database, () => client.send(new DeleteItemCommand({ TableName, Key: keyAttributes(key) })));
}

/** Hashes are even in their first character; the last one of base64url has fewer values. */
function shardOf(sessionHash: string): number {
  return (sessionHash.codePointAt(0) ?? 0) % DUE_SHARDS;
}
