import { UpdateItemCommand, type UpdateItemCommandInput } from "@aws-sdk/client-dynamodb";
import { isUseDue } from "../../../lib/stores/mcp-session-expiry.ts";
import {
  UPSTREAMS_LIMIT,
  type UpstreamChange,
  upstreamOf,
  upstreamSize,
  withUpstream,
} from "../../../lib/stores/mcp-session-upstreams.ts";
import type {
  McpLogLevel,
  McpSessionRecord,
  SessionIntroduction,
  SessionReference,
} from "../../../lib/stores/mcp-sessions.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { untilUncontended } from "./backoff.ts";
import type { Database } from "./database.ts";
import { keyAttributes, timeToLive } from "./items.ts";
import { mcpSessionKey } from "./keys.ts";
import {
  introductionTexts,
  readLiveSession,
  removableAt,
  sessionOf,
  UPSTREAMS_SIZE,
  upstreamAttribute,
  upstreamText,
} from "./mcp-session-items.ts";
import { TTL_ATTRIBUTE } from "./tables.ts";
import { conditional } from "./writes.ts";

/** One consistent read, and a write when the use is due. */
export async function useSession(
  database: Database,
  audit: AuditWriter,
  reference: SessionReference,
  now: number,
): Promise<McpSessionRecord | undefined> {
  const session = await ownLiveSession(database, audit, reference, now);
  return session !== undefined && isUseDue(session, now) ? writeUse(database, session, now) : session;
}

export function setSessionLogLevel(
  database: Database,
  audit: AuditWriter,
  reference: SessionReference,
  level: McpLogLevel,
  now: number,
): Promise<boolean> {
  const change = { UpdateExpression: "SET logLevel = :level", ExpressionAttributeValues: { ":level": { S: level } } };
  return changeSession(database, audit, reference, change, now);
}

/** In the attributes that the session began with, so that the release before reads it, too. */
export function introduceSession(
  database: Database,
  audit: AuditWriter,
  reference: SessionReference,
  introduction: SessionIntroduction,
  now: number,
): Promise<boolean> {
  const { clientInfo, clientCapabilities } = introductionTexts(introduction);
  const change = {
    UpdateExpression: "SET clientInfo = :info, clientCapabilities = :capabilities",
    ExpressionAttributeValues: { ":info": { S: clientInfo }, ":capabilities": { S: clientCapabilities } },
  };
  return changeSession(database, audit, reference, change, now);
}

/** Conditional on being there, so that no request brings back a session that ended after it was read. */
async function changeSession(
  database: Database,
  audit: AuditWriter,
  reference: SessionReference,
  change: Pick<UpdateItemCommandInput, "UpdateExpression" | "ExpressionAttributeValues">,
  now: number,
): Promise<boolean> {
  const session = await ownLiveSession(database, audit, reference, now);
  if (session === undefined) return false;
  const result = await conditional(database, () =>
    database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.sessions,
        Key: keyAttributes(mcpSessionKey(session.sessionHash)),
        ...change,
        ConditionExpression: "attribute_exists(pk)",
      }),
    ),
  );
  return result.met;
}

/** The live session of that principal. */
async function ownLiveSession(
  database: Database,
  audit: AuditWriter,
  { sessionHash, principal }: SessionReference,
  now: number,
): Promise<McpSessionRecord | undefined> {
  const session = await readLiveSession(database, audit, sessionHash, now);
  return session?.principal === principal ? session : undefined;
}

/**
 * Never brings back a session that is gone, and never moves the time back: requests of one session overtake. The condition
 * also fails on our own write when its answer was lost and the SDK repeats it; what is there then is as live.
 */
async function writeUse(
  database: Database,
  session: McpSessionRecord,
  now: number,
): Promise<McpSessionRecord | undefined> {
  const result = await conditional(database, () =>
    database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.sessions,
        Key: keyAttributes(mcpSessionKey(session.sessionHash)),
        UpdateExpression: "SET lastSeenAt = :now, #ttl = :ttl",
        ConditionExpression: "lastSeenAt < :now",
        ExpressionAttributeNames: { "#ttl": TTL_ATTRIBUTE },
        ExpressionAttributeValues: {
          ":now": { N: String(now) },
          ":ttl": timeToLive(removableAt({ ...session, lastSeenAt: now })),
        },
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    ),
  );
  const item = result.met ? result.output.Attributes : result.failure.Item;
  return item && sessionOf(item);
}

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
