import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { EXPIRY_MARGIN } from "../../lib/stores/expiry-margin.ts";
import type { McpSessionRecord } from "../../lib/stores/mcp-sessions.ts";
import { createdSession, endSession } from "../contract/mcp-session-workings.ts";
import { MINUTE, upstreamSession } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";
import { type Counted, type Fault, type OpenFaultyProduct, openFaultyProduct } from "./support/faulty.ts";
import { expiringIn, storedTables } from "./support/sessions.ts";
import { CONFIGURATION } from "./support/token-requests.ts";

/** Everything is billed by calls of objects and written rows. */
describe("what a session costs on Cloudflare", () => {
  let it: OpenFaultyProduct;
  beforeAll(async () => {
    it = await openFaultyProduct(CONFIGURATION);
  });
  beforeEach(() => it.set());
  afterAll(() => it.close());

  /** Counts from a state where nothing is left to tell. */
  const settled = async (fields?: Partial<McpSessionRecord>) => {
    const session = await createdSession(it.stores(), fields);
    const storage = await it.worker.getDurableObjectStorage("MCP_SESSIONS", { name: session.sessionHash });
    await eventually(
      () => storage.exec("SELECT sequence FROM outbox"),
      (entries) => entries.length === 0,
    );
    return { session, counted: await it.counted() };
  };

  test("its start is one call that it waits for, and two after it", async () => {
    await it.counted();
    const { counted } = await settled();
    const [first, ...others] = counted.calls;
    expect(first).toBe("MCP_SESSIONS.create");
    expect(withoutFirstRecord(others)).toEqual(["AUDIT_SHARDS.appendAccepted", "REGISTRY.listSession"]);
  });

  test("a request in it is one call, which writes nothing as a rule and two rows at most sixty times a timeout", async () => {
    const { session } = await settled();
    const { mcpSessions } = it.stores();
    for (let i = 0; i < 10; i++) await mcpSessions.use(session, session.startedAt + i * 1_000);
    const often = await it.counted();
    expect(often.calls).toEqual(Array(10).fill("MCP_SESSIONS.use"));
    expect(writtenBy(often)).toEqual({});
    await mcpSessions.use(session, session.startedAt + MINUTE);
    const due = await it.counted();
    expect(due.calls).toEqual(["MCP_SESSIONS.use"]);
    expect(writtenBy(due)).toEqual({ "McpSession: UPDATE mcp_sessions SET": 2 });
  });

  test("a session at an upstream is one call, which writes one row", async () => {
    const { session } = await settled();
    await it.stores().mcpSessions.setUpstream(session, "library", upstreamSession(), undefined, session.startedAt);
    const counted = await it.counted();
    expect(counted.calls).toEqual(["MCP_SESSIONS.setUpstream"]);
    expect(writtenBy(counted)).toEqual({ "McpSession: UPDATE mcp_sessions SET": 1 });
  });

  test("its end is one call that it waits for, and two after it", async () => {
    const { session } = await settled();
    await endSession(it.stores(), session, session.startedAt);
    await eventually(
      () => storedTables(it.worker, session.sessionHash),
      (names) => names.length === 0,
    );
    const [first, ...others] = (await it.counted()).calls;
    expect(first).toBe("MCP_SESSIONS.end");
    expect(withoutFirstRecord(others)).toEqual(["AUDIT_SHARDS.appendAccepted", "REGISTRY.unlistSessions"]);
  });

  test("whoever lost the answer asks again, but not to start or to end it", async () => {
    const { session } = await settled();
    const { mcpSessions } = it.stores();
    const lost = (binding: Fault["binding"], method: string): Fault => ({
      binding,
      method,
      how: "lose",
      times: 1,
      error: { retryable: true },
    });
    await it.set(
      ...["use", "setLogLevel", "setUpstream", "get", "create", "end"].map((method) => lost("MCP_SESSIONS", method)),
      lost("REGISTRY", "listedSessions"),
    );
    const { startedAt, sessionHash } = session;
    expect(await mcpSessions.use(session, startedAt)).toEqual(session);
    expect(await mcpSessions.setLogLevel(session, "info", startedAt)).toBe(true);
    const upstreams = { library: upstreamSession() };
    const kept = { ...session, logLevel: "info", upstreams };
    expect(await mcpSessions.setUpstream(session, "library", upstreams.library, undefined, startedAt)).toEqual(kept);
    expect(await mcpSessions.get(sessionHash, startedAt)).toEqual(kept);
    expect((await mcpSessions.list(String(session.organizationId), startedAt, { limit: 1 })).items).toHaveLength(1);
    await expect(createdSession(it.stores())).rejects.toThrow("a fault of the test");
    await expect(endSession(it.stores(), session, startedAt)).rejects.toThrow("a fault of the test");
    expect(await mcpSessions.use(session, startedAt)).toBeUndefined();
    const { calls } = await it.counted();
    const made = (method: string) => calls.filter((call) => call === `MCP_SESSIONS.${method}`).length;
    expect([made("use"), made("setLogLevel"), made("setUpstream"), made("get")]).toEqual([3, 2, 2, 3]);
    expect([made("create"), made("end")]).toEqual([1, 1]);
  });

  test("its alarm rings once a timeout while it is used: no use sets it, and it sets itself again", async () => {
    const { session } = await settled(expiringIn(10_000));
    // Live for a clock that is as far behind as one may be.
    const now = Date.now() - EXPIRY_MARGIN;
    await it.stores().mcpSessions.use(session, now);
    expect(writtenBy(await it.counted())).toEqual({ "McpSession: UPDATE mcp_sessions SET": 2 });
    const { calls, rows } = await eventually(
      () => it.counted(),
      (counted) => Object.keys(writtenBy(counted)).length > 0,
    );
    expect(calls).toEqual([]);
    expect(writtenBy({ calls, rows })).toEqual({ "McpSession: setAlarm": 1 });
    expect(await it.stores().mcpSessions.get(session.sessionHash, now)).toEqual({ ...session, lastSeenAt: now });
  });
});

/** The first record of an organization on a day and shard also costs the listing of that shard. */
function withoutFirstRecord(calls: readonly string[]): readonly string[] {
  return calls.filter((call) => call !== "REGISTRY.listAuditShard").toSorted();
}

function writtenBy({ rows }: Counted): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(rows).filter(([, count]) => count > 0));
}
