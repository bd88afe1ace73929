import { expect } from "vitest";
import type { AuditEvent, AuditEventType } from "../../lib/stores/audit-log.ts";
import type { McpSessionRecord } from "../../lib/stores/mcp-sessions.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { eventually } from "../support/eventually.ts";
import { mcpSession, mcpSessionEvent } from "./records.ts";

/** A session that is there by now. */
export async function createdSession(
  { mcpSessions }: Stores,
  fields: Partial<McpSessionRecord> = {},
): Promise<McpSessionRecord> {
  const session = mcpSession(fields);
  await mcpSessions.create(session, mcpSessionEvent(session, "session.started"));
  return session;
}

export function endSession({ mcpSessions }: Stores, session: McpSessionRecord, now: number): Promise<boolean> {
  return mcpSessions.end(session.sessionHash, now, mcpSessionEvent(session, "session.terminated"));
}

/** The records of the session's organization, which has one session, once so many are there. */
export async function recordsOf(
  { auditLog }: Stores,
  { organizationId }: McpSessionRecord,
  count: number,
): Promise<readonly AuditEvent[]> {
  const { items } = await eventually(
    () => auditLog.query({ organizationId }, { limit: 100 }),
    (page) => page.items.length >= count,
  );
  return items;
}

/** That these are the session's records and that there are no others. */
export async function expectRecords(
  stores: Stores,
  session: McpSessionRecord,
  types: readonly AuditEventType[],
): Promise<void> {
  const records = await recordsOf(stores, session, types.length);
  expect(records.map(({ type }) => type).toSorted()).toEqual(types.toSorted());
}

/** Hashes of an organization's sessions, page by page. */
export async function listedPages(
  { mcpSessions }: Stores,
  organizationId: string,
  now: number,
  limit: number,
): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let cursor: string | undefined;
  do {
    const page = await mcpSessions.list(organizationId, now, { limit, ...(cursor !== undefined && { cursor }) });
    pages.push(page.items.map(({ sessionHash }) => sessionHash));
    cursor = page.nextCursor;
  } while (cursor !== undefined && pages.length < 100);
  return pages;
}

/** Waits until the organization's list has these sessions, in this order. Lists may be late. */
export async function expectListed(
  stores: Stores,
  organizationId: string,
  now: number,
  hashes: readonly string[],
): Promise<void> {
  await eventually(
    async () => (await listedPages(stores, organizationId, now, 50)).flat(),
    (listed) => JSON.stringify(listed) === JSON.stringify(hashes),
  );
}
