import { afterEach, beforeEach, expect, test } from "vitest";
import { terminateSession } from "../../lib/mcp/sessions/administration.ts";
import { sessionHash } from "../../lib/protocol/mcp/session-id.ts";
import { sessionExpired } from "../../lib/stores/mcp-session-expiry.ts";
import { initialize } from "../behaviour/mcp/session.ts";
import { type BothTransports, bothTransports } from "../gateway/inbound/both-transports.ts";

let it: BothTransports;
beforeEach(async () => {
  it = await bothTransports();
});
afterEach(() => it.close());

const HEADER = "X-Agent-Session";

test("every record of a session names the server that vouched for its agent, whose ids are that server's own", async () => {
  const authorization = `Bearer ${await it.token()}`;
  const open = async () => {
    const headers = { authorization, "content-type": "application/json", accept: "application/json" };
    const body = JSON.stringify(initialize());
    return (await it.send("/mcp", { method: "POST", headers, body })).headers.get(HEADER) ?? expect.fail();
  };
  const { stores } = it.dependencies;
  const organizationId = (await stores.directory.firstOrganization())?.organizationId ?? expect.fail();
  const ended = await open();
  await it.send("/mcp", { method: "DELETE", headers: { authorization, [HEADER]: ended } });
  const dismissed = sessionHash(await open());
  const record = (await stores.mcpSessions.get(dismissed, it.clock.now())) ?? expect.fail();
  await terminateSession(it.dependencies, { id: "user_1", organizationId, requestId: "1" }, dismissed);

  const { items } = await stores.auditLog.query({ organizationId }, { limit: 100 });
  const events = [...items, sessionExpired(record)].filter(({ type }) => type.startsWith("session."));
  expect(events.map(({ type }) => type).toSorted()).toEqual([
    "session.expired",
    "session.started",
    "session.started",
    "session.terminated",
    "session.terminated",
  ]);
  for (const { details } of events) expect(details).toMatchObject({ issuer: "https://as.example" });
});
