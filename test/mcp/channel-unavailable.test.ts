import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StoreUnavailableError } from "../../lib/stores/unavailable.ts";
import { initialize, request } from "../behaviour/mcp/session.ts";
import { type OpenGateway, openGateway } from "./open-gateway.ts";

let it: OpenGateway;
beforeEach(async () => {
  it = await openGateway();
});
afterEach(() => it.close());

async function expectLater(answering: Promise<Response>): Promise<void> {
  const answer = await answering;
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("1");
}

test("streams whose signals cannot be had are put off, and leave no session behind", async () => {
  const headers = await it.open();
  const { sessionChannel, stores } = it.dependencies;
  vi.spyOn(sessionChannel ?? expect.fail(), "follow").mockRejectedValue(new Error("the object is not there"));
  const created = vi.spyOn(stores.mcpSessions, "create");
  await expectLater(it.get(headers));
  await expectLater(it.send("/sse", { headers: { accept: "text/event-stream" } }));
  const [session] = created.mock.calls[0] ?? expect.fail();
  expect(await stores.mcpSessions.get(session.sessionHash, it.clock.now())).toBeUndefined();
  expect((await it.post(request("ping"), headers)).status).toBe(200);
});

test("requests of sessions are put off while the store is not available", async () => {
  const headers = await it.open();
  const { mcpSessions } = it.dependencies.stores;
  const unavailable = new StoreUnavailableError(new Error("locked"));
  for (const operation of ["use", "create"] as const) vi.spyOn(mcpSessions, operation).mockRejectedValue(unavailable);
  await expectLater(it.post(request("ping"), headers));
  await expectLater(it.get(headers));
  await expectLater(it.send("/mcp", { method: "DELETE", headers }));
  await expectLater(it.send("/sse", { headers: { accept: "text/event-stream" } }));
  await expectLater(it.post(initialize()));
});
