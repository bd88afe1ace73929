import { UpdateItemCommand, type UpdateItemCommandInput } from "@aws-sdk/client-dynamodb";
import {
  UPSTREAMS_LIMIT,
  type UpstreamChange,
  upstreamOf,
  upstreamSize,
  withUpstream,
} from "../../../lib/stores/mcp-session-upstreams.ts";
import type { McpSessionRecord, SessionReference } from "../../../lib/stores/mcp-sessions.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { untilUncontended } from "./backoff.ts";
import { conditional } from "./conditional.ts";
import type { Database } from "./database.ts";
import { keyAttributes } from "./items.ts";
import { mcpSessionKey } from "./keys.ts";
import { sessionOf, UPSTREAMS_SIZE, upstreamAttribute, upstreamText } from "./mcp-session-items.ts";
import { ownLiveSession } from "./mcp-session-use.ts";

/**
 * One consistent read, and a write on the condition that the app's session is still the one that was read and there is room.
 * Where it fails, what was there instead decides. Repeated after a lost answer, it finds what it wrote.
 */
export async function setSessionUpstream(
  database: Database,
  audit: AuditWriter,
  reference: SessionReference,
  change: UpstreamChange,
  now: number,
): Promise<McpSessionRecord | undefined> {
  let session = await ownLiveSession(database, audit, reference, now);
  const { found } = await untilUncontended(database.random, async () => {
    if (session === undefined || withUpstream(session.upstreams, change) === undefined) return { found: session };
    const update = updateOf(database, session, change);
    const result = await conditional(database, () => database.client.send(new UpdateItemCommand(update)));
    const item = result.met ? result.output.Attributes : result.failure.Item;
    session = item && sessionOf(item);
    return result.met ? { found: session } : undefined;
  });
  return found;
}

function updateOf(
  database: Database,
  read: McpSessionRecord,
  { app, upstream }: UpstreamChange,
): UpdateItemCommandInput {
  const before = upstreamOf(read.upstreams, app);
  const growth = upstreamSize(app, upstream) - upstreamSize(app, before);
  const isAsRead = before === undefined ? "attribute_not_exists(#upstream)" : "#upstream = :read";
  return {
    TableName: database.tables.sessions,
    Key: keyAttributes(mcpSessionKey(read.sessionHash)),
    UpdateExpression: "SET #upstream = :upstream ADD #size :growth",
    ConditionExpression: `attribute_exists(pk) AND ${isAsRead} AND (attribute_not_exists(#size) OR #size <= :room)`,
    ExpressionAttributeNames: { "#upstream": upstreamAttribute(app), "#size": UPSTREAMS_SIZE },
    ExpressionAttributeValues: {
      ":upstream": { S: upstreamText(upstream) },
      ":growth": { N: String(growth) },
      ":room": { N: String(UPSTREAMS_LIMIT - growth) },
      ...(before !== undefined && { ":read": { S: upstreamText(before) } }),
    },
    ReturnValues: "ALL_NEW",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  };
}
