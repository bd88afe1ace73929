import { afterEach, beforeEach, expect, test } from "vitest";
import { messagesOf } from "../behaviour/mcp/events.ts";
import { notification, request } from "../behaviour/mcp/session.ts";
import { eventually } from "../support/eventually.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { HEADER, type OpenGateway, openGateway } from "./open-gateway.ts";

let it: OpenGateway;
let upstream: Upstream;
let headers: Readonly<Record<string, string>>;
beforeEach(async () => {
  upstream = await startUpstream();
  it = await openGateway({ upstreamURL: upstream.url });
  headers = await it.open();
});
afterEach(async () => {
  await it.close();
  await upstream.stop();
});

/** The answer to a call that goes on until something ends it. */
async function answerOnce(accept: string, end: () => Promise<Response>): Promise<Response> {
  const call = request("tools/call", { name: "slow", arguments: {} }, "one");
  const answering = it.post(call, { ...headers, accept });
  await eventually(
    async () => upstream.waiting,
    (count) => count === 1,
  );
  expect((await end()).ok).toBe(true);
  return answering;
}

test.each(["application/json", "text/event-stream"])(
  "a call whose session is ended answers so as %s",
  async (accept) => {
    const response = await answerOnce(accept, () => it.send("/mcp", { method: "DELETE", headers }));
    expect(response.status).toBe(200);
    expect(await messagesOf(response)).toEqual([
      { jsonrpc: "2.0", id: "one", error: { code: -32001, message: "The session is over." } },
    ]);
    expect((await it.post(request("ping"), { [HEADER]: headers[HEADER] ?? "" })).status).toBe(404);
  },
);

test("a call that its client cancels is not answered", async () => {
  const cancelled = notification("notifications/cancelled", { requestId: "one" });
  const response = await answerOnce("text/event-stream", () => it.post(cancelled, headers));
  expect(await messagesOf(response)).toEqual([]);
});
