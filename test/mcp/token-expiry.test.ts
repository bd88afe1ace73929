import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type EventReader, readEvents } from "../behaviour/mcp/events.ts";
import { initialize } from "../behaviour/mcp/session.ts";
import { modern, modernHeaders } from "../behaviour/mcp/stateless-fixture.ts";
import { type BothTransports, bothTransports, STREAM_URL } from "../gateway/inbound/both-transports.ts";
import { activeToken } from "../gateway/inbound/stub-server.ts";

const LISTEN = "subscriptions/listen";

let it: BothTransports;
/** What the authorization server says of the token that is no JWT. */
let revoked: boolean;
let isAway: boolean;
let expiresAt: number;
let headers: Readonly<Record<string, string>>;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  revoked = false;
  isAway = false;
  it = await bothTransports({}, () => {
    if (isAway) return new Response(null, { status: 503 });
    return Response.json(revoked ? { active: false } : activeToken({ aud: STREAM_URL, exp: expiresAt / 1_000 }));
  });
  expiresAt = it.clock.now() + 3_600_000;
  headers = { authorization: `Bearer ${await it.token()}`, accept: "application/json, text/event-stream" };
});
afterEach(async () => {
  vi.useRealTimers();
  await it.close();
});

const post = (body: unknown, more: Readonly<Record<string, string>> = {}) =>
  it.send("/mcp", {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", ...more },
    body: JSON.stringify(body),
  });

const STREAMS: Readonly<Record<string, () => Promise<Response>>> = {
  "the stream of a session": async () => {
    const id = (await post(initialize())).headers.get("x-agent-session") ?? "";
    return it.send("/mcp", { headers: { ...headers, "x-agent-session": id } });
  },
  "a stream of changes": () =>
    post(modern(LISTEN, { notifications: { toolsListChanged: true } }), modernHeaders(LISTEN)),
  "a connection over HTTP+SSE": () => it.send("/legacy/sse", { headers }),
};

test.each(Object.entries(STREAMS))("%s ends when its token does, and not before", async (_, open) => {
  const response = await open();
  expect(response.status).toBe(200);
  let isOver = false;
  const over = ended(readEvents(response)).then(() => {
    isOver = true;
  });
  // The token is good for an hour.
  await pass(3_600_000 - 15_000);
  expect(isOver).toBe(false);
  await pass(30_000);
  await over;
  expect(isOver).toBe(true);
});

test.each(Object.entries(STREAMS))("40. %s ends within 15 seconds of its token's revocation", async (_, open) => {
  headers = { ...headers, authorization: "Bearer opaque" };
  const response = await open();
  expect(response.status).toBe(200);
  let isOver = false;
  const over = ended(readEvents(response)).then(() => {
    isOver = true;
  });
  await pass(60_000);
  isAway = true;
  await pass(60_000);
  expect(isOver).toBe(false);
  isAway = false;
  revoked = true;
  await pass(15_000);
  await over;
  expect(isOver).toBe(true);
});

test.each(Object.entries(STREAMS))("%s ends when its token does, although nobody can be asked", async (_, open) => {
  headers = { ...headers, authorization: "Bearer opaque" };
  expiresAt = it.clock.now() + 60_000;
  const response = await open();
  expect(response.status).toBe(200);
  const over = ended(readEvents(response));
  isAway = true;
  await pass(90_000);
  await over;
});

async function pass(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 15_000) {
    it.clock.set(it.clock.now() + 15_000);
    await vi.advanceTimersByTimeAsync(15_000);
  }
}

async function ended(events: EventReader): Promise<void> {
  while ((await events.next()) !== undefined);
}
