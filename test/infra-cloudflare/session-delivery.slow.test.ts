import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sessionExpired } from "../../lib/stores/mcp-session-expiry.ts";
import type { McpSessionRecord } from "../../lib/stores/mcp-sessions.ts";
import {
  createdSession,
  endSession,
  expectListed,
  expectRecords,
  recordsOf,
} from "../contract/mcp-session-workings.ts";
import { mcpSession, mcpSessionEvent } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";
import { type Fault, type OpenFaultyProduct, openFaultyProduct } from "./support/faulty.ts";
import { expiringIn, storedTables } from "./support/sessions.ts";
import { CONFIGURATION } from "./support/token-requests.ts";

/** Two alarms, on a busy machine. */
const PATIENCE = 60_000;

const AUDIT_REFUSES: Fault = { binding: "AUDIT_SHARDS", method: "appendAccepted", from: "object", how: "refuse" };
const NOT_LISTED: Fault = { binding: "REGISTRY", method: "listSession", from: "object", how: "refuse" };
const NOT_UNLISTED: Fault = { binding: "REGISTRY", method: "unlistSessions", from: "object", how: "refuse" };

describe("what the object of a session has to tell others", () => {
  let it: OpenFaultyProduct;
  beforeAll(async () => {
    it = await openFaultyProduct(CONFIGURATION, { TEST_REDELIVERY_DELAY: "1000" });
  });
  beforeEach(() => it.set());
  afterAll(() => it.close());

  const tables = ({ sessionHash }: McpSessionRecord) => storedTables(it.worker, sessionHash);
  const evict = ({ sessionHash }: McpSessionRecord) =>
    it.worker.evictDurableObject("MCP_SESSIONS", { name: sessionHash });
  const emptied = (session: McpSessionRecord) =>
    eventually(
      () => tables(session),
      (names) => names.length === 0,
    );

  test("is told by its alarm when nobody could be told at once, also after an eviction", {
    timeout: PATIENCE,
  }, async () => {
    await it.set(AUDIT_REFUSES, NOT_LISTED);
    const session = await createdSession(it.stores());
    const failures = () =>
      it
        .logs()
        .filter((line) => line.includes('"object":"session"'))
        .join("\n");
    await eventually(
      async () => failures(),
      (lines) => lines.includes('"kind":"event"') && lines.includes('"kind":"listing"'),
    );
    await evict(session);
    await it.set();
    await expectRecords(it.stores(), session, ["session.started"]);
    await expectListed(it.stores(), String(session.organizationId), session.startedAt, [session.sessionHash]);
    expect(failures()).not.toContain(session.principal);
  });

  test("is kept by a session that was ended until everyone knows, and nothing is kept then", {
    timeout: PATIENCE,
  }, async () => {
    const session = await createdSession(it.stores());
    await expectRecords(it.stores(), session, ["session.started"]);
    await it.set(NOT_UNLISTED);
    expect(await endSession(it.stores(), session, session.startedAt)).toBe(true);
    await expectRecords(it.stores(), session, ["session.started", "session.terminated"]);
    await eventually(
      async () => it.logs(),
      (lines) => lines.some((line) => line.includes('"kind":"listing"') && line.includes("a fault of the test")),
    );
    expect(await tables(session)).toContain("outbox");
    await it.set();
    await emptied(session);
    await expectRecords(it.stores(), session, ["session.started", "session.terminated"]);
  });

  test("is told once of a session that expired while nobody could be told", { timeout: PATIENCE }, async () => {
    await it.set(AUDIT_REFUSES, NOT_UNLISTED);
    await it.counted();
    const session = await createdSession(it.stores(), expiringIn(0));
    await eventually(
      async () => (await it.counted()).calls,
      (calls) => calls.includes("REGISTRY.unlistSessions"),
    );
    expect(await it.stores().mcpSessions.get(session.sessionHash, 0)).toBeUndefined();
    await it.set();
    await emptied(session);
    const records = await recordsOf(it.stores(), session, 2);
    expect(records.map(({ type }) => type).toSorted()).toEqual(["session.expired", "session.started"]);
    expect(records).toContainEqual(sessionExpired(session));
  });

  test("is nothing when a session could not be created: the one that was there before goes on", async () => {
    const session = await createdSession(it.stores());
    const again = { ...mcpSession(), sessionHash: session.sessionHash };
    await expect(it.stores().mcpSessions.create(again, mcpSessionEvent(again, "session.started"))).rejects.toThrow();
    await expectRecords(it.stores(), session, ["session.started"]);
    expect(await it.stores().mcpSessions.use(session, session.startedAt)).toEqual(session);
    expect((await it.stores().auditLog.query({ organizationId: again.organizationId }, { limit: 1 })).items).toEqual(
      [],
    );
  });
});
