import { afterEach, beforeEach, expect, test } from "vitest";
import { readEvents } from "../behaviour/mcp/events.ts";
import { notification, request } from "../behaviour/mcp/session.ts";
import { HEADER, type OpenGateway, openGateway } from "./open-gateway.ts";

let it: OpenGateway;
beforeEach(async () => {
  it = await openGateway();
});
afterEach(() => it.close());

/** POST of the legacy transport. */
function send(sessionId: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return it.send(`/messages?sessionId=${sessionId}`, { method: "POST", headers, body: JSON.stringify(body) });
}

test("25. a session of the legacy transport is none of Streamable HTTP, whose DELETE and GET do not end it", async () => {
  const events = readEvents(await it.send("/sse", { headers: { accept: "text/event-stream" } }));
  const id = new URLSearchParams((await events.next())?.data.split("?")[1]).get("sessionId") ?? expect.fail();
  const headers = { [HEADER]: id };
  expect((await it.post(request("ping"), headers)).status).toBe(404);
  expect((await it.get(headers)).status).toBe(404);
  expect((await it.send("/mcp", { method: "DELETE", headers })).status).toBe(404);
  expect((await send(id, request("ping"))).status).toBe(202);
  expect(await events.message()).toMatchObject({ id: 1, result: {} });
  await events.cancel();
});

test("25. a session of Streamable HTTP takes no messages of the legacy transport", async () => {
  const headers = await it.open();
  const id = headers[HEADER] ?? expect.fail();
  expect((await send(id, request("ping"))).status).toBe(404);
  expect((await send(id, notification("notifications/cancelled", { requestId: 1 }))).status).toBe(404);
  expect((await it.post(request("ping"), headers)).status).toBe(200);
});
