import { describe, expect, test } from "vitest";
import { textOf } from "../../behaviour/gateway-fixture.ts";
import {
  answers,
  type Behaviour,
  beginEvents,
  expectNothingInside,
  messagesIn,
  resultOf,
  withHostile,
  writeEndlessly,
} from "./hostile-gateway.ts";

const it = withHostile();
const ARGUED = { name: "bad_tool", arguments: {} };
const asked = (method: string) => it.received.filter((one) => one.method === method).length;
const says: Behaviour = ({ response, id }) => answers(resultOf(id))({ response });
const called = async () => {
  const { result, error } = await it.gateway.inSession("tools/call", ARGUED);
  return result === undefined ? String(error?.message) : textOf({ result });
};

/** What begins no session, and what the agent is told. */
const NO_SESSION: Readonly<Record<string, readonly [Behaviour, RegExp]>> = {
  "is a page": [answers("<h1>Hello</h1>", "text/html"), /content of type text\/html/],
  "is refused": [answers("no", "text/plain", 500), /HTTP status 500/],
  "is half": [answers('{"jsonrpc":"2.0","id":"initialize","result":{'), /no JSON/],
  "is no object": [answers('{"jsonrpc":"2.0","id":"initialize","result":[]}'), /no JSON-RPC message/],
  "has no end": [
    ({ response }) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"jsonrpc":"2.0","id":"initialize","result":{"instructions":"');
      writeEndlessly(response, () => "x".repeat(1024 * 1024));
    },
    /longer than 65536 bytes/,
  ],
  "comes behind notifications without end": [
    ({ response }) => {
      beginEvents({ response });
      const told = 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n';
      const timer = setInterval(() => response.write(told), 50);
      response.once("close", () => clearInterval(timer));
    },
    /did not answer within 1500 ms/,
  ],
  "has too long an id": [
    ({ response }) => {
      response.setHeader("mcp-session-id", "x".repeat(5_000));
      answers('{"jsonrpc":"2.0","id":"initialize","result":{}}')({ response });
    },
    /session id is too long/,
  ],
};

describe("an answer to initialize that", () => {
  test.each(Object.keys(NO_SESSION))("%s is one failed result", async (name) => {
    const [behaviour, text] = NO_SESSION[name] as (typeof NO_SESSION)[string];
    it.does(behaviour, "initialize");
    it.does(answers("{}", "application/json", 400), "server/discover");
    const said = await called();
    expect(said).toMatch(text);
    expectNothingInside(said);
    expect(await it.records()).toMatchObject([{ outcome: "upstream_error" }]);
    expect(asked("tools/call")).toBe(0);
  });
});

test("an introduction without end is left, and costs nobody else anything", async () => {
  const endless: Behaviour = ({ response }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"jsonrpc":"2.0","id":"discover","result":{"instructions":"');
    writeEndlessly(response, () => "x".repeat(1024 * 1024));
  };
  it.does(endless, "server/discover");
  it.does(endless, "initialize");
  expect(await it.gateway.names()).toEqual(["good_fine"]);
  await it.left();
});

test.each(["a b", "a\tb", "é", 'x; y="z"', "{}", "../..", "%0d%0a"])(
  "a session id like %j is repeated as it is",
  async (sessionId) => {
    it.does(({ response }) => {
      response.setHeader("mcp-session-id", Buffer.from(sessionId).toString("latin1"));
      answers('{"jsonrpc":"2.0","id":"initialize","result":{"protocolVersion":"2025-11-25","capabilities":{}}}')({
        response,
      });
    }, "initialize");
    it.does(says);
    expect(await called()).toBe("at last");
    const { request } = it.received.find(({ method }) => method === "tools/call") ?? {};
    expect(Buffer.from(String(request?.headers["mcp-session-id"]), "latin1").toString()).toBe(sessionId);
  },
);

test("an upstream that forgets each session at once is begun anew once, and then told of", async () => {
  it.does(({ response }) => void response.writeHead(404).end());
  it.does(({ response }) => void response.writeHead(400).end(), "server/discover");
  expect(await called()).toMatch(/HTTP status 404/);
  expect(asked("tools/call")).toBe(2);
  expect(asked("initialize")).toBeLessThanOrEqual(3);
  expect(await it.records()).toMatchObject([{ outcome: "upstream_error", reason: "http_404" }]);
});

test("a notification that is answered, and never to the end, is passed over", async () => {
  it.does(({ response }) => beginEvents({ response }), "notifications/initialized");
  it.does(says);
  expect(await called()).toBe("at last");
});

test("a stream that is to be taken up again much later is not asked for again and again", async () => {
  it.does(({ request, response }) => {
    if (request.method === "GET") return beginEvents({ response });
    beginEvents({ response });
    response.end("retry: 99999999999\nid: 1\ndata: \n\n");
  });
  expect(await called()).toMatch(/did not answer|broke off/);
  const resumed = it.received.filter(({ request }) => request.headers["last-event-id"] !== undefined);
  expect(resumed.length).toBeLessThanOrEqual(2);
});

/** Of an upstream that wants input: what is no request for any, or none that can be answered. */
const ASKING: Readonly<Record<string, object>> = {
  "a number as its state": { inputRequests: {}, requestState: 7 },
  "an object as its state": { inputRequests: {}, requestState: { a: "b" } },
  "nothing that it asks": {},
  "a list of requests": { inputRequests: [1, 2] },
  "a method of its own": { inputRequests: { a: { method: "shell/run", params: {} } }, requestState: "a" },
  "its own envelope": { inputRequests: { __proto__: null, a: null }, requestState: "a", _meta: 7 },
};

test.each(Object.keys(ASKING))("a request for input with %s ends in an answer, in both generations", async (name) => {
  it.does(({ response, id }) => {
    const result = { resultType: "input_required", ...ASKING[name] };
    answers(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`)({ response });
  });
  const response = await it.gateway.send("tools/call", ARGUED);
  const body = await response.text();
  expect(response.status).toBe(200);
  expectNothingInside(body);
  expect(await it.records()).toHaveLength(1);
  expectNothingInside(await called());
});

test("a state of 2 MB is refused, and so is one that the agent makes up", async () => {
  it.does(({ response, id }) => {
    const result = { resultType: "input_required", inputRequests: {}, requestState: "x".repeat(2_000_000) };
    answers(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`)({ response });
  });
  const [answer = {}] = messagesIn(await (await it.gateway.send("tools/call", ARGUED)).text());
  expect(textOf(answer)).toMatch(/longer than 1048576 bytes/);
  const before = it.received.length;
  for (const requestState of ["x", "", "x".repeat(100_000), 7, {}, null]) {
    const answer = await it.gateway.answer("tools/call", { ...ARGUED, requestState, inputResponses: {} });
    expect(answer.error?.message).toMatch(/invalid requestState/);
  }
  expect(it.received.slice(before).filter(({ method }) => method === "tools/call")).toEqual([]);
});

test("nothing of all that is a mistake of ours by the log", () => {
  expect(it.gateway.logs.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
