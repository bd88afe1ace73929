import { expect, test } from "vitest";
import { testProxy } from "../bridge/agent.ts";
import { type Answer, event, stream, withPollingServer } from "./polling-server.ts";

const upstream = withPollingServer();
const proxy = testProxy(globalThis.fetch);

const PRIMED = "id: p-1\nretry: 100\ndata: \n\n";
let asked: string | undefined;
/** A priming event, and the connection is closed before the answer. */
const primed: Answer = (response, { message }) => {
  asked = message.id;
  stream(response, PRIMED).end();
};
const answered: Answer = (response) => void stream(response, event({ id: asked, result: { done: true } })).end();
const refused =
  (status: number): Answer =>
  (response) =>
    void response.writeHead(status).end();

function call(signal?: AbortSignal) {
  return proxy.stateless({ name: "t" }, { app: { url: upstream.url }, ...(signal !== undefined && { signal }) });
}

const sent = () => upstream.seen.map(({ method, message }) => message.method ?? method);

test("a stream that is closed before the answer goes on from its last event, in its session", async () => {
  upstream.answers(primed, answered);
  expect(await call()).toMatchObject({ result: { done: true } });
  expect(sent()).toEqual(["tools/call", "GET"]);
  expect(upstream.seen[1]?.headers).toMatchObject({
    "last-event-id": "p-1",
    "mcp-session-id": "s-1",
    "mcp-protocol-version": "2025-11-25",
    accept: "text/event-stream",
  });
});

test("as often as it is closed, from whatever event came last", async () => {
  const told = event({ method: "notifications/message", params: {} }, "p-2");
  upstream.answers(
    primed,
    (response) => void stream(response, told).end(),
    (response) => void stream(response, "").end(),
    answered,
  );
  expect(await call()).toMatchObject({ result: { done: true } });
  expect(upstream.seen.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "p-1", "p-2", "p-2"]);
});

test("a connection that breaks within an event is taken up behind the last whole one", async () => {
  upstream.answers((response, { message }) => {
    asked = message.id;
    stream(response, `${PRIMED}id: p-9\ndata: {"jsonrpc"`);
    setImmediate(() => response.destroy());
  }, answered);
  expect(await call()).toMatchObject({ result: { done: true } });
  expect(upstream.seen[1]?.headers["last-event-id"]).toBe("p-1");
});

test("a server that is away for a moment is asked again; the call is not made again", async () => {
  upstream.answers(primed, refused(503), (response) => void response.destroy(), answered);
  expect(await call()).toMatchObject({ result: { done: true } });
  expect(sent()).toEqual(["tools/call", "GET", "GET", "GET"]);
});

test.each([401, 404, 405])("a refusal of the stream, %i, ends the call, which is not made again", async (status) => {
  upstream.answers(primed, refused(status));
  await expect(call()).rejects.toMatchObject({ reason: "broken_off" });
  expect(sent()).toEqual(["tools/call", "GET"]);
});

test("without the id of an event there is nothing to go on from", async () => {
  upstream.answers((response) => void stream(response, event({ method: "notifications/message" })).end(), answered);
  await expect(call()).rejects.toMatchObject({ reason: "broken_off" });
  expect(sent()).toEqual(["tools/call"]);
});

test("whoever gives up while the stream is closed is heard: the upstream is told", async () => {
  const agent = new AbortController();
  const told = Promise.withResolvers<void>();
  upstream.answers(primed, (response) => {
    stream(response, ": nothing yet\n\n");
    response.once("close", () => told.resolve());
    agent.abort("agent_left");
  });
  await expect(call(agent.signal)).rejects.toMatchObject({ reason: "aborted" });
  await told.promise;
  await expect.poll(sent).toContain("notifications/cancelled");
});
