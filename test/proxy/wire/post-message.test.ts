import type { RequestListener } from "node:http";
import { describe, expect, test } from "vitest";
import { createJsonRewriter } from "../../../lib/upstream/wire/json-rewriter.ts";
import { postMessage } from "../../../lib/upstream/wire/post-message.ts";
import type { UpstreamFailure } from "../../../lib/upstream/wire/upstream-failure.ts";
import type { UpstreamMessage } from "../../../lib/upstream/wire/upstream-message.ts";
import type { WireTarget } from "../../../lib/upstream/wire/wire-target.ts";
import { EVENTS, failureOf, JSON_TYPE, sends, textOf, textsOf, withUpstream } from "./upstream.ts";

const upstream = withUpstream();

const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}';
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"n":12345678901234567890}}';
const PROGRESS = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}';
const long = (length: number) => `{"jsonrpc":"2.0","id":1,"result":{"data":"${"x".repeat(length)}"}}`;

const post = (target: WireTarget) => postMessage(REQUEST, target);
const read = async (target: WireTarget) => textsOf(await post(target));

describe("a request", () => {
  test("has the headers of the transport, which nothing overrides, and those of the target", async () => {
    const headers = { Accept: "text/html", "Content-Type": "text/plain", "mcp-session-id": "s" };
    await read(upstream.answers(sends(ANSWER, JSON_TYPE), { headers }));
    expect(upstream.asked).toMatchObject({ method: "POST", body: REQUEST });
    expect(upstream.asked.headers).toMatchObject({
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-session-id": "s",
    });
  });
});

describe("an answer in JSON", () => {
  test("is one message, with its text and its value", async () => {
    const answer = await post(upstream.answers(sends(ANSWER, "application/json; charset=utf-8")));
    const messages: UpstreamMessage[] = [];
    if (answer.kind === "messages") for await (const message of answer.messages) messages.push(message);
    expect(answer).toMatchObject({ kind: "messages", status: 200 });
    expect(messages).toEqual([{ kind: "whole", text: ANSWER, message: JSON.parse(ANSWER) }]);
  });

  test("may begin with a byte order mark, in pieces", async () => {
    const listener = upstream.answers((_, response) => {
      response.writeHead(200, { "content-type": JSON_TYPE });
      response.write(new Uint8Array([0xef, 0xbb]));
      setImmediate(() => response.end(Buffer.concat([new Uint8Array([0xbf]), Buffer.from(ANSWER)])));
    });
    expect(await read(listener)).toEqual([ANSWER]);
  });

  test("may be a batch: each entry is a message with its own text, and a malformed one costs itself only", async () => {
    const malformed: string[] = [];
    const onMalformed = ({ reason }: UpstreamFailure) => void malformed.push(reason);
    const body = ` [ ${PROGRESS} ,{"jsonrpc":"1.0"},\n${ANSWER}, 5 ]`;
    expect(await read(upstream.answers(sends(body, JSON_TYPE), { onMalformed }))).toEqual([PROGRESS, ANSWER]);
    expect(malformed).toEqual(["broken_json", "broken_json"]);
  });

  test("above 64 KiB comes piece by piece", async () => {
    const text = long(5 * 1024 * 1024);
    const listener = upstream.answers((_, response) => {
      response.writeHead(200, { "content-type": JSON_TYPE });
      for (let at = 0; at < text.length; at += 997) response.write(text.slice(at, at + 997));
      response.end();
    });
    const answer = await post(listener);
    const rewriter = createJsonRewriter({ set: [{ path: ["id"], json: "2" }] });
    let length = 0;
    let pieces = 0;
    if (answer.kind === "messages") {
      for await (const message of answer.messages) {
        if (message.kind !== "long") throw new Error("It is held.");
        for await (const chunk of message.chunks) {
          length += rewriter.push(chunk).length;
          pieces++;
        }
      }
    }
    expect(length + rewriter.end().length).toBe(text.length);
    expect(pieces).toBeGreaterThan(10);
    expect(rewriter.facts()).toMatchObject({ isAnswer: true, id: 1 });
  });

  test("is held however long it is when it is no answer", async () => {
    const request = `{"jsonrpc":"2.0","method":"sampling/createMessage","params":{"a":"${"x".repeat(200_000)}"},"id":5}`;
    const answer = await post(upstream.answers(sends(`data: ${request}\n\ndata: ${ANSWER}\n\n`, EVENTS)));
    const kinds: string[] = [];
    if (answer.kind === "messages") for await (const { kind } of answer.messages) kinds.push(kind);
    expect(kinds).toEqual(["whole", "whole"]);
  });

  test.each([
    ["no JSON", '{"jsonrpc":"2.0",'],
    ["JSON of another kind", '"text"'],
    ["no JSON-RPC", '{"tools":[]}'],
    ["an answer without a result", '{"jsonrpc":"2.0","id":1}'],
    ["a result that is no object", '{"jsonrpc":"2.0","id":1,"result":[]}'],
    ["an id that is no id", '{"jsonrpc":"2.0","id":{},"result":{}}'],
    ["an empty batch", "[]"],
    ["a batch without messages", "[1,2]"],
    ["a batch of too many", `[${Array(1_001).fill(PROGRESS)}]`],
    ["too deep", `{"jsonrpc":"2.0","id":1,"result":{"a":${"[".repeat(1_200)}${"]".repeat(1_200)}}}`],
    ["long and no JSON", `{"jsonrpc":"2.0",,"a":"${"x".repeat(70_000)}"}`],
  ])("is refused when it is %s, and not quoted", async (_, body) => {
    const failure = await failureOf(read(upstream.answers(sends(body, JSON_TYPE))));
    expect(failure).toMatchObject({ name: "UpstreamFailure", reason: "broken_json" });
    expect((failure as Error).message).not.toContain("tools");
  });

  test("may be an error without an id: the upstream could not read the request", async () => {
    const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}';
    expect(await read(upstream.answers(sends(body, JSON_TYPE)))).toEqual([body]);
  });

  test("that has to be held above 16 MiB is too large", async () => {
    const body = `[${long(17 * 1024 * 1024)}]`;
    expect(await failureOf(read(upstream.answers(sends(body, JSON_TYPE))))).toMatchObject({ reason: "too_large" });
  });
});

describe("an answer as a stream of events", () => {
  test("has messages in order, with the ids of their events", async () => {
    const body = `\ufeffid: 0\ndata:\n\n: hi\nevent: message\nid: 1\ndata: ${PROGRESS}\n\nid: 2\r\ndata: ${ANSWER}\r\n\r\n`;
    const answer = await post(upstream.answers(sends(body, `${EVENTS};charset=utf-8`)));
    const seen: unknown[] = [];
    if (answer.kind !== "messages") throw new Error(answer.kind);
    for await (const message of answer.messages) seen.push([message.eventId, await textOf(message)]);
    expect(seen).toEqual([
      ["1", PROGRESS],
      ["2", ANSWER],
    ]);
    expect(answer.resumption?.()).toEqual({ lastEventId: "2" });
  });

  test("may have long answers and batches among short ones", async () => {
    const [big, pretty] = [long(200_000), ANSWER.replace(",", ",\ndata: ")];
    const body = `data: ${PROGRESS}\n\ndata: ${big}\n\ndata: [${PROGRESS},${PROGRESS}]\n\ndata: ${pretty}\n\n`;
    const texts = await read(upstream.answers(sends(body, EVENTS)));
    expect(texts).toEqual([PROGRESS, big, PROGRESS, PROGRESS, ANSWER.replace(",", ",\n")]);
  });

  test("passes over malformed messages and events of other types, and says so of the former", async () => {
    const malformed: string[] = [];
    const onMalformed = ({ message }: UpstreamFailure) => void malformed.push(message);
    const bad = `data: {"jsonrpc"\n\ndata: {}\n\nevent: ping\ndata: ping\n\ndata: {"x":${"]".repeat(70_000)}}\n\n`;
    const texts = await read(upstream.answers(sends(`${bad}data: ${ANSWER}\n\n`, EVENTS), { onMalformed }));
    expect(texts).toEqual([ANSWER]);
    expect(malformed).toHaveLength(3);
  });

  test("ends the exchange when its reader leaves", async () => {
    const endless = upstream.answers((_, response) => {
      response.writeHead(200, { "content-type": EVENTS }).write(`data: ${PROGRESS}\n\n`);
    });
    const answer = await post(endless);
    if (answer.kind === "messages") for await (const _ of answer.messages) break;
    await upstream.left();
  });

  test("ends the exchange when its reader leaves within a long message", async () => {
    const endless = upstream.answers((_, response) => {
      response.writeHead(200, { "content-type": EVENTS }).write(`data: ${long(200_000).slice(0, -10)}`);
    });
    const answer = await post(endless);
    if (answer.kind !== "messages") throw new Error(answer.kind);
    outer: for await (const message of answer.messages) {
      if (message.kind === "long") for await (const _ of message.chunks) break outer;
    }
    await upstream.left();
  });

  test("ends while a message is waited for", async () => {
    const silent = upstream.answers((_, response) =>
      response.writeHead(200, { "content-type": EVENTS }).flushHeaders(),
    );
    const answer = await post(silent);
    if (answer.kind !== "messages") throw new Error(answer.kind);
    const messages = answer.messages[Symbol.asyncIterator]();
    const next = messages.next();
    await messages.return?.();
    expect(await next).toMatchObject({ done: true });
    await upstream.left();
  });
});

describe("no content", () => {
  const endsLate: RequestListener = (_, response) => {
    response.writeHead(200, { "content-type": JSON_TYPE }).flushHeaders();
    response.end();
  };

  test.each([
    ["202", sends("", undefined, 202)],
    ["202 with a body that says nothing", sends("Accepted", "text/plain", 202)],
    ["204", sends("", undefined, 204)],
    ["200 without a body", sends("")],
    ["200 with an empty page", sends("", "text/html")],
    ["200 with empty JSON, in chunks", endsLate],
  ])("%s is accepted", async (_, listener) => {
    expect(await post(upstream.answers(listener))).toMatchObject({ kind: "accepted" });
  });
});

describe("a refusal", () => {
  const error = { code: -32_001, message: "Session not found", data: { a: 1 } };

  test("has the JSON-RPC error of its body", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: null, error });
    const answer = await post(upstream.answers(sends(body, JSON_TYPE, 404)));
    expect(answer).toMatchObject({ kind: "refused", status: 404, error });
  });

  test.each([
    "",
    "<html>no</html>",
    '{"error":"invalid_token"}',
    '{"error":{"code":"1","message":"m"}}',
    `${" ".repeat(65_536)}{}`,
  ])("has none where its body has none", async (body) => {
    const answer = await post(upstream.answers(sends(body, JSON_TYPE, 401)));
    expect(answer).toMatchObject({ kind: "refused", status: 401 });
    expect(answer).not.toHaveProperty("error");
  });

  test("is one also when its body breaks off", async () => {
    const listener = upstream.answers((_, response) => {
      response.writeHead(503, { "content-length": "100" }).write("{");
      setImmediate(() => response.destroy());
    });
    expect(await post(listener)).toMatchObject({ kind: "refused", status: 503 });
  });
});

describe("what fails", () => {
  test.each([301, 302, 303, 307, 308])("HTTP %i is not followed", async (status) => {
    const target = upstream.answers((_, response) => void response.writeHead(status, { location: "/secret" }).end());
    const failure = await failureOf(post(target));
    expect(failure).toMatchObject({ reason: "redirect", message: expect.stringContaining(`HTTP ${status}`) });
    expect((failure as Error).message).not.toContain("secret");
  });

  test.each([
    ["<html>hello</html>", "text/html; charset=utf-8", "of type text/html"],
    ["hello", undefined, "of no type"],
    ["hello", "a b<c>", "of no type"],
    [ANSWER, "application/octet-stream", "of type application/octet-stream"],
  ])("%s of type %s is not MCP", async (body, type, named) => {
    const failure = await failureOf(post(upstream.answers(sends(body, type))));
    expect(failure).toMatchObject({ reason: "not_mcp", message: expect.stringContaining(named) });
    expect((failure as Error).message).not.toContain("hello");
  });

  test.each([
    ["JSON", JSON_TYPE, ANSWER.slice(0, 20)],
    ["long JSON", JSON_TYPE, long(200_000).slice(0, -5)],
    ["an event", EVENTS, `data: ${ANSWER}`],
    ["a long event", EVENTS, `data: ${long(200_000)}`],
  ])("%s that is cut broke off", async (_, type, body) => {
    const target = upstream.answers((_, response) => {
      response.writeHead(200, { "content-type": type }).write(body, () => response.destroy());
    });
    expect(await failureOf(read(target))).toMatchObject({ reason: "broken_off" });
  });

  test("a long answer that ends too early is no JSON", async () => {
    const answer = await post(upstream.answers(sends(long(200_000).slice(0, -1), JSON_TYPE)));
    const [text = ""] = await textsOf(answer);
    const rewriter = createJsonRewriter({});
    rewriter.push(Buffer.from(text));
    expect(() => rewriter.end()).toThrow(expect.objectContaining({ reason: "broken_json" }));
  });

  test("a server that is not there is unreachable, and the message names no address", async () => {
    const target = { ...upstream.answers(sends("")), url: "http://127.0.0.1:1/mcp" };
    const failure = await failureOf(post(target));
    expect(failure).toMatchObject({ reason: "unreachable", networkCause: expect.any(String) });
    expect((failure as Error).message).not.toContain("127.0.0.1");
  });

  test("what is aborted before or during the answer says so", async () => {
    const gone = AbortSignal.abort("agent_left");
    expect(await failureOf(post(upstream.answers(sends(ANSWER, JSON_TYPE), { signal: gone })))).toMatchObject({
      reason: "aborted",
    });
    const leaving = new AbortController();
    const endless = upstream.answers(
      (_, response) => void response.writeHead(200, { "content-type": EVENTS }).write(`data: ${PROGRESS}\n\n`),
      { signal: leaving.signal },
    );
    const answer = await post(endless);
    if (answer.kind !== "messages") throw new Error(answer.kind);
    const messages = answer.messages[Symbol.asyncIterator]();
    expect(await messages.next()).toMatchObject({ done: false });
    const next = messages.next();
    leaving.abort("agent_left");
    expect(await failureOf(next)).toMatchObject({ reason: "aborted" });
    await upstream.left();
  });
});
