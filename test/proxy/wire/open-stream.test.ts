import { describe, expect, test } from "vitest";
import { openUpstreamStream } from "../../../lib/upstream/wire/post-message.ts";
import { EVENTS, failureOf, JSON_TYPE, sends, textsOf, withUpstream } from "./upstream.ts";

const upstream = withUpstream();

const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

test("a stream is opened with GET, and taken up again behind an event", async () => {
  const target = upstream.answers(sends(`retry: 20\nid: é2\ndata: ${CHANGED}\n\n`, EVENTS));
  const answer = await openUpstreamStream({ ...target, lastEventId: "é1" });
  expect(upstream.asked.method).toBe("GET");
  expect(upstream.asked.headers).toMatchObject({ accept: EVENTS });
  expect(Buffer.from(String(upstream.asked.headers["last-event-id"]), "latin1").toString()).toBe("é1");
  if (answer.kind !== "messages") throw new Error(answer.kind);
  expect(await textsOf(answer)).toEqual([CHANGED]);
  expect(answer.resumption?.()).toEqual({ lastEventId: "é2", retry: 20 });
});

describe("there is none", () => {
  test.each([
    ["405", sends("", undefined, 405)],
    ["404 without a session", sends("no", "text/plain", 404)],
    ["204", sends("", undefined, 204)],
    ["a page", sends("<html></html>", "text/html")],
    ["JSON", sends("{}", JSON_TYPE)],
  ])("where the answer is %s", async (_, listener) => {
    expect(await openUpstreamStream(upstream.answers(listener))).toEqual({ kind: "none" });
  });
});

test("404 with a session, and other refusals, are refusals", async () => {
  const headers = { "Mcp-Session-Id": "s" };
  const gone = await openUpstreamStream(upstream.answers(sends("", undefined, 404), { headers }));
  expect(gone).toMatchObject({ kind: "refused", status: 404 });
  expect(await openUpstreamStream(upstream.answers(sends("", undefined, 401)))).toMatchObject({
    kind: "refused",
    status: 401,
  });
});

test("a redirect is not followed", async () => {
  const target = upstream.answers(sends("", undefined, 302));
  expect(await failureOf(openUpstreamStream(target))).toMatchObject({ reason: "redirect" });
});
