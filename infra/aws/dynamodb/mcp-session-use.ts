import { UpdateItemCommand, type UpdateItemCommandInput } from "@aws-sdk/client-dynamodb";
import { isUseDue } from "../../../lib/stores/mcp-session-expiry.ts";
import type {
  McpLogLevel,
  McpSessionRecord,
  SessionIntroduction,
  SessionReference,
} from "../../../lib/stores/mcp-sessions.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { conditional } from "./conditional.ts";
import type { Database } from "./database.ts";
import { keyAttributes, timeToLive } from "./items.ts";
import { mcpSessionKey } from "./keys.ts";
import { readLiveSession } from "./mcp-session-end.ts";
import { introductionTexts, removableAt, sessionOf } from "./mcp-session-items.ts";
import { TTL_ATTRIBUTE } from "./tables.ts";

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
export async function ownLiveSession(
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
