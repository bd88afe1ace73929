import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { textOf } from "../../behaviour/gateway-fixture.ts";
import {
  answers,
  type Behaviour,
  beginEvents,
  expectNothingInside,
  messagesIn,
  resultOf,
  TIMEOUT,
  withHostile,
  writeEndlessly,
} from "./hostile-gateway.ts";

const it = withHostile();
const EVENTS = "text/event-stream";
const MEBI = 1024 * 1024;
const long = (id: string) => resultOf(id, "x".repeat(300_000));

/** What a bad upstream does with a call, why it failed by its record, and what the agent is told. */
const FAILURES: Readonly<Record<string, readonly [Behaviour, reason: string, text: RegExp]>> = {
  "never answers": [() => undefined, "timeout", /did not answer within 1500 ms/],
  "answers late": [
    ({ response, id }) => void setTimeout(() => response.end(resultOf(id)), 2 * TIMEOUT),
    "timeout",
    /did not answer within 1500 ms/,
  ],
  "sends comments for ever": [
    ({ response }) => {
      beginEvents({ response });
      const timer = setInterval(() => response.write(": still here\n\n"), 50);
      response.once("close", () => clearInterval(timer));
    },
    "timeout",
    /did not answer/,
  ],
  "hangs up": [({ response }) => void response.destroy(), "broken_off", /before an answer came\. Before you repeat/],
  "speaks no HTTP": [
    ({ response }) => void response.socket?.end("SSH-2.0-x\r\n\r\n"),
    "broken_off",
    /before an answer came/,
  ],
  "has a status of its own": [
    ({ response }) => void response.socket?.end("HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n"),
    "http_999",
    /HTTP status 999/,
  ],
  "has headers without end": [
    ({ response }) => void response.writeHead(200, { "x-long": "a".repeat(100_000) }).end(),
    "broken_off",
    /before an answer came/,
  ],
  "accepts and says nothing": [({ response }) => void response.writeHead(202).end(), "broken_off", /broke off/],
  "has no content": [({ response }) => void response.writeHead(204).end(), "broken_off", /broke off/],
  "answers with a page": [answers("<h1>Hello</h1>", "text/html"), "not_mcp", /content of type text\/html/],
  "fails with a page": [answers("<h1>at x (a.ts:1)</h1>", "text/html", 500), "http_500", /HTTP status 500/],
  "answers with broken JSON": [answers('{"jsonrpc":"2.0","id"'), "broken_json", /it is no JSON/],
  "answers with nothing of JSON-RPC": [answers("[1, null, []]"), "broken_json", /no JSON-RPC message/],
  "answers with a bare value": [answers("null"), "broken_json", /no JSON-RPC message/],
  "has a text as its result": [
    ({ response, id }) => answers(`{"jsonrpc":"2.0","id":${id},"result":"yes"}`)({ response }),
    "broken_json",
    /no JSON-RPC message/,
  ],
  "has both result and error": [
    ({ response, id }) => answers(`{"jsonrpc":"2.0","id":${id},"result":{},"error":{}}`)({ response }),
    "broken_json",
    /no JSON-RPC message/,
  ],
  "answers something else": [({ response }) => answers(resultOf("77"))({ response }), "broken_off", /broke off/],
  "answers with the id as a text": [
    ({ response, id }) => answers(resultOf(`"${id}"`))({ response }),
    "broken_off",
    /broke off/,
  ],
  "answers with an object as the id": [
    ({ response }) => answers(resultOf("{}"))({ response }),
    "broken_json",
    /no JSON-RPC/,
  ],
  "answers something else at length": [
    ({ response }) => answers(long("77"), EVENTS)({ response }),
    "broken_off",
    /broke off/,
  ],
  "nests deeply": [
    ({ response, id }) =>
      answers(`{"jsonrpc":"2.0","id":${id},"result":{"a":${"[".repeat(9_000)}${"]".repeat(9_000)}}}`)({ response }),
    "broken_json",
    /more than 1000 levels/,
  ],
  "nests without end": [
    ({ response, id }) =>
      answers(`{"jsonrpc":"2.0","id":${id},"result":{"a":${'[{"b":'.repeat(100_000)}`)({ response }),
    "broken_json",
    /levels/,
  ],
  "redirects to an internal address": [
    ({ response }) => void response.writeHead(307, { location: "http://169.254.169.254/latest/meta-data" }).end(),
    "redirect",
    /redirects are not followed/,
  ],
  "redirects to itself": [
    ({ response }) => void response.writeHead(302, { location: "/mcp" }).end(),
    "redirect",
    /redirects are not followed/,
  ],
  "breaks off in the middle of JSON": [
    ({ response, id }) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
      response.write(resultOf(id).slice(0, -5), () => response.destroy());
    },
    "broken_off",
    /broke off/,
  ],
  "breaks off in the middle of an event": [
    ({ response, id }) => {
      beginEvents({ response });
      response.end(`data: ${resultOf(id)}`);
    },
    "broken_off",
    /broke off/,
  ],
  "says that it is compressed": [
    ({ response, id }) =>
      void response
        .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        .end(resultOf(id)),
    "broken_off",
    /broke off/,
  ],
  "compresses half": [
    ({ response, id }) =>
      void response
        .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        .end(gzipSync(resultOf(id)).subarray(0, 40)),
    "broken_off",
    /broke off/,
  ],
  "has an event's name without end": [
    ({ response }) => {
      beginEvents({ response });
      response.write("event: ");
      writeEndlessly(response, () => "x".repeat(MEBI));
    },
    "too_large",
    /longer than 4096 bytes/,
  ],
};

const ARGUED = { name: "bad_tool", arguments: {} };

describe("an upstream that", () => {
  test("29. breaks off when the agent has a part of a long answer is a connection that breaks, and one record", async () => {
    it.does(({ response, id }) => {
      beginEvents({ response });
      response.write(`data: ${long(id).slice(0, -9)}`);
    });
    const { body } = await it.gateway.send("tools/call", ARGUED);
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    expect((await reader.read()).done).toBe(false);
    it.received.at(-1)?.response.destroy();
    await expect(toTheEnd(reader)).rejects.toThrow();
    // It breaks before the record is complete.
    await expect.poll(it.records).toMatchObject([{ outcome: "upstream_error", reason: "broken_off" }]);
    expect(it.received.filter(({ method }) => method === "tools/call")).toHaveLength(1);
  });

  test.each(Object.keys(FAILURES))("29. %s is one failed result and one record", async (name) => {
    const [behaviour, reason, text] = FAILURES[name] as (typeof FAILURES)[string];
    it.does(behaviour);
    const response = await it.gateway.send("tools/call", ARGUED);
    const body = await response.text();
    expect(response.status).toBe(200);
    expect(body).toMatch(text);
    expectNothingInside(body);
    const messages = messagesIn(body);
    expect(messages).toHaveLength(1);
    const { id, result, error } = messages[0] ?? {};
    expect(id).toBe(1);
    expect(result?.isError === true || error !== undefined).toBe(true);
    expect(await it.records()).toMatchObject([{ outcome: "upstream_error", reason }]);
    expect(it.received.filter(({ method }) => method === "tools/call")).toHaveLength(1);
  });

  test.each(Object.keys(FAILURES))("29. %s is the same in a session", async (name) => {
    const [behaviour, reason, text] = FAILURES[name] as (typeof FAILURES)[string];
    it.does(behaviour);
    const { result, error } = await it.gateway.inSession("tools/call", ARGUED);
    const said = result === undefined ? error?.message : textOf({ result });
    expect(said).toMatch(text);
    expectNothingInside(said ?? "");
    expect(await it.records()).toMatchObject([{ outcome: "upstream_error", reason }]);
    expect(it.received.filter(({ method }) => method === "tools/call")).toHaveLength(1);
  });
});

async function toTheEnd(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}

test("nothing of all that is a mistake of ours by the log", () => {
  expect(it.gateway.logs.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
