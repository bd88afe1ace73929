import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { ScanCommand } from "@aws-sdk/client-dynamodb";
import type { TableNames } from "../../../infra/aws/dynamodb/tables.ts";
import { base64url } from "../../../lib/kernel/encoding.ts";
import { ulid } from "../../../lib/kernel/ids.ts";
import { webCryptoRandom } from "../../../lib/kernel/random.ts";
import type { AuditEvent, AuditEventType } from "../../../lib/stores/audit-log.ts";
import type { McpSessionRecord } from "../../../lib/stores/mcp-sessions.ts";
import type { Stores } from "../../../lib/stores/stores.ts";

/** A session of the organization `org_1` that began at `startedAt`. */
export function sessionFrom(startedAt: number, fields: Partial<McpSessionRecord> = {}): McpSessionRecord {
  return {
    sessionHash: base64url(webCryptoRandom.bytes(32)),
    transport: "stream",
    principal: "https://id.example|user_1|client_1",
    organizationId: "org_1",
    issuer: "https://id.example",
    agent: "client_1",
    user: "user_1",
    region: "us",
    protocolVersion: "2025-11-25",
    clientInfo: { name: "test agent", version: "1" },
    clientCapabilities: { sampling: {} },
    startedAt,
    lastSeenAt: startedAt,
    timeout: 3_600_000,
    ...fields,
  };
}

export function sessionEvent(
  type: AuditEventType,
  { organizationId, sessionHash }: McpSessionRecord,
  time: number,
): AuditEvent {
  const organization = organizationId === undefined ? {} : { organizationId };
  const id = ulid(time, webCryptoRandom);
  return { id, time, type, outcome: "success", ...organization, details: { sessionId: sessionHash } };
}

/** Creates it with its record. */
export async function begun({ mcpSessions }: Stores, session: McpSessionRecord): Promise<McpSessionRecord> {
  await mcpSessions.create(session, sessionEvent("session.started", session, session.startedAt));
  return session;
}

/** The sessions that have records of the type, one for each record, sorted. */
export async function recorded(
  { auditLog }: Stores,
  type: AuditEventType,
  organizationId: string | undefined = "org_1",
): Promise<readonly (string | undefined)[]> {
  const { items } = await auditLog.query({ organizationId, type }, { limit: 1000 });
  return items.map(({ details }) => details?.sessionId).sort();
}

/** Partition keys of everything in the sessions table, sorted. */
export async function leftInSessions(client: DynamoDBClient, tables: TableNames): Promise<readonly string[]> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tables.sessions, ConsistentRead: true }));
  return Items.map(({ pk }) => pk?.S as string).sort();
}
