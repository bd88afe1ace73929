import type { McpSessionRecord } from "../mcp-sessions.ts";
import type { SqlValue } from "./database.ts";

/** Where a list of sessions goes on: `<startedAt>.<sessionHash>` of the last that was shown. */
export function sessionCursor({ startedAt, sessionHash }: Pick<McpSessionRecord, "startedAt" | "sessionHash">): string {
  return `${startedAt}.${sessionHash}`;
}

/** The condition on sessions behind a cursor, newest first; none for a text that is no cursor. */
export function afterSession(cursor: string | undefined): {
  readonly condition: string;
  readonly parameters: readonly SqlValue[];
} {
  const [, startedAt, sessionHash] = /^(\d{1,15})\.([A-Za-z0-9_-]{43})$/.exec(cursor ?? "") ?? [];
  if (startedAt === undefined || sessionHash === undefined) return { condition: "", parameters: [] };
  return { condition: " AND (started_at, session_hash) < (?, ?)", parameters: [Number(startedAt), sessionHash] };
}
