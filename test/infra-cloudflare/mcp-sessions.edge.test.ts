import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sessionExpired } from "../../lib/stores/mcp-session-expiry.ts";
import type { McpSessionRecord } from "../../lib/stores/mcp-sessions.ts";
import {
  createdSession,
  endSession,
  expectListed,
  expectRecords,
  recordsOf,
} from "../contract/mcp-session-workings.ts";
import { mcpSession, newOrganizationId } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";
import { expiringIn, type OpenSessions, openSessions, storedTables } from "./support/sessions.ts";

describe("the object of an agent's session", () => {
  let it: OpenSessions;
  beforeAll(async () => {
    it = await openSessions();
  });
  afterAll(() => it.close());

  const tables = ({ sessionHash }: McpSessionRecord) => storedTables(it.worker, sessionHash);
  const registry = () => it.worker.getDurableObjectStorage("REGISTRY", { name: "us" });
  const listedHashes = async (organizationId: string) => {
    const rows = await (await registry()).exec(
      "SELECT session_hash FROM listed_sessions WHERE organization_id = ?",
      organizationId,
    );
    return rows.map((row) => (row as { readonly session_hash: string }).session_hash);
  };

  test("stores nothing for who asks for a session that does not exist, which can be created then", async () => {
    const unknown = mcpSession();
    const { sessionHash, startedAt } = unknown;
    const { mcpSessions } = it.stores;
    expect(await mcpSessions.use(unknown, startedAt)).toBeUndefined();
    expect(await mcpSessions.get(sessionHash, startedAt)).toBeUndefined();
    expect(await mcpSessions.setLogLevel(unknown, "info", startedAt)).toBe(false);
    expect(await endSession(it.stores, unknown, startedAt)).toBe(false);
    expect(await it.publish(sessionHash, { kind: "ended" })).toBe(0);
    await it.follow(sessionHash);
    expect(await tables(unknown)).toEqual([]);
    expect(await createdSession(it.stores, unknown)).toEqual(unknown);
    expect(await mcpSessions.use(unknown, startedAt)).toEqual(unknown);
    expect(await tables(unknown)).toContain("mcp_sessions");
  });

  test("stores nothing any more once the session is ended and others know, and can hold another one", async () => {
    const session = await createdSession(it.stores);
    expect(await endSession(it.stores, session, session.startedAt)).toBe(true);
    await eventually(
      () => tables(session),
      (names) => names.length === 0,
    );
    await expectRecords(it.stores, session, ["session.started", "session.terminated"]);
    expect(await listedHashes(String(session.organizationId))).toEqual([]);
    await createdSession(it.stores, session);
    expect(await it.stores.mcpSessions.get(session.sessionHash, session.startedAt)).toEqual(session);
  });

  test("records by its alarm that the session expired, once, tells who follows, and is empty then", async () => {
    const session = await createdSession(it.stores, expiringIn(3_000));
    const follower = await it.follow(session.sessionHash);
    expect(await follower.next()).toEqual({ kind: "ended" });
    expect(await follower.next()).toBe("lost");
    await eventually(
      () => tables(session),
      (names) => names.length === 0,
    );
    const records = await recordsOf(it.stores, session, 2);
    expect(records.filter(({ type }) => type !== "session.started")).toEqual([sessionExpired(session)]);
    expect(await listedHashes(String(session.organizationId))).toEqual([]);
  });

  test("records the expiry of a session although it was evicted before its alarm rang", async () => {
    const session = await createdSession(it.stores, expiringIn(8_000));
    await expectRecords(it.stores, session, ["session.started"]);
    await it.worker.evictDurableObject("MCP_SESSIONS", { name: session.sessionHash });
    await expectRecords(it.stores, session, ["session.expired", "session.started"]);
  });

  test("is listed until its session is over", async () => {
    const session = await createdSession(it.stores);
    const organizationId = String(session.organizationId);
    await expectListed(it.stores, organizationId, session.startedAt, [session.sessionHash]);
    await endSession(it.stores, session, session.startedAt);
    expect((await it.stores.mcpSessions.list(organizationId, session.startedAt, { limit: 10 })).items).toEqual([]);
    await eventually(
      () => listedHashes(organizationId),
      (hashes) => hashes.length === 0,
    );
  });

  test("is taken off the list when it is found to have lost its session", async () => {
    const organizationId = newOrganizationId();
    const kept = await createdSession(it.stores, { organizationId });
    await (await registry()).exec(
      "INSERT INTO listed_sessions (organization_id, started_at, session_hash) VALUES (?, ?, ?)",
      organizationId,
      kept.startedAt + 1,
      mcpSession().sessionHash,
    );
    await expectListed(it.stores, organizationId, kept.startedAt, [kept.sessionHash]);
    await eventually(
      () => listedHashes(organizationId),
      (hashes) => hashes.length === 1 && hashes[0] === kept.sessionHash,
    );
  });

  test("is one of a hundred at most that a list asks: a page of many dead ones is short and has a next one", async () => {
    const organizationId = newOrganizationId();
    const kept = await createdSession(it.stores, { organizationId });
    await expectListed(it.stores, organizationId, kept.startedAt, [kept.sessionHash]);
    await (await registry()).exec(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 110)
       INSERT INTO listed_sessions (organization_id, started_at, session_hash)
       SELECT ?, ? + n, printf('%043d', n) FROM numbers`,
      organizationId,
      kept.startedAt,
    );
    const { list } = it.stores.mcpSessions;
    const first = await list(organizationId, kept.startedAt, { limit: 10 });
    expect(first).toEqual({ items: [], nextCursor: expect.any(String) });
    const cursor = String(first.nextCursor);
    expect(await list(organizationId, kept.startedAt, { limit: 10, cursor })).toEqual({ items: [kept] });
    await eventually(
      () => listedHashes(organizationId),
      (hashes) => hashes.length === 1,
    );
  });
});
