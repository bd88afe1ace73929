import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { McpSessionRecord, McpSessions } from "../../../lib/stores/mcp-sessions.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { toItem } from "./items.ts";
import { mcpSessionListKey } from "./keys.ts";
import { endSession, readLiveSession } from "./mcp-session-end.ts";
import { toSessionItem } from "./mcp-session-items.ts";
import { listSessions } from "./mcp-session-list.ts";
import { toDueItem } from "./mcp-session-sweep.ts";
import { setSessionUpstream } from "./mcp-session-upstream.ts";
import { introduceSession, setSessionLogLevel, useSession } from "./mcp-session-use.ts";
import { transact } from "./transact.ts";

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
