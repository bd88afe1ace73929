import { describe, expect, test } from "vitest";
import { utf8 } from "../../lib/kernel/encoding.ts";
import { resultAnswer } from "../../lib/mcp/caller.ts";
import type { Method } from "../../lib/mcp/methods/methods.ts";
import { localSessionChannel } from "../../lib/mcp/sessions/local-channel.ts";
import { INTERNAL_ERROR, RpcError } from "../../lib/protocol/mcp/json-rpc.ts";
import type { RpcRequest } from "../../lib/protocol/mcp/message.ts";
import type { SessionSignal } from "../../lib/stores/session-channel.ts";
import { readEvents } from "../behaviour/mcp/events.ts";
import { carryOutCall, gatewayOf, HASH, SESSION } from "./carrying-out.ts";

const CALL: RpcRequest = { kind: "request", id: 1, method: "tools/call", params: {} };
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"n":12345678901234567890}}';
const STREAM = "text/event-stream";
const http = (accept = `application/json, ${STREAM}`) =>
  new Request("https://gateway.test/mcp", { headers: { accept } });

const broken: Method = async (_, { openAnswer }) => {
  await openAnswer().write(utf8(ANSWER.slice(0, 20)));
  throw new RpcError(INTERNAL_ERROR, "The upstream broke off.");
};

async function eventsOf(response: Response) {
  const { next } = readEvents(response);
  const events = [];
  for (let event = await next(); event !== undefined; event = await next()) events.push(event);
  return events;
}

test("to what an upstream answered nothing is added, to a result of ours what the revision adds", async () => {
  const forwarded = await carryOutCall(async () => ({ kind: "message", text: ANSWER }), CALL, http());
  expect(await forwarded.text()).toBe(ANSWER);
  const own = await carryOutCall(async () => resultAnswer({ content: [] }), CALL, http());
  expect(await own.json()).toEqual({ jsonrpc: "2.0", id: 1, result: { content: [], isFinished: true } });
});

test("an answer that was written is one when it is committed", async () => {
  const { promise: recorded, resolve: record } = Promise.withResolvers<void>();
  const method: Method = async (_, { openAnswer }) => {
    const answer = openAnswer();
    await answer.write(utf8(ANSWER));
    await recorded;
    return { kind: "written", answer };
  };
  const response = await carryOutCall(method, CALL, http(STREAM));
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const read = async () => {
    const { value } = await reader.read();
    return value && new TextDecoder().decode(value);
  };
  expect([await read(), await read(), await read()]).toEqual([": keep-alive\n\n", "data: ", ANSWER]);
  record();
  expect([await read(), await read()]).toEqual(["\n\n", undefined]);
});

test("of an answer that was begun and then failed the client sees the error alone", async () => {
  expect(await eventsOf(await carryOutCall(broken, CALL, http(STREAM)))).toEqual([
    { type: "aborted", data: ANSWER.slice(0, 20) },
    { type: "message", data: expect.stringContaining("The upstream broke off.") },
  ]);
  for (const accept of [undefined, "application/json"]) {
    const whole = await carryOutCall(broken, CALL, http(accept));
    expect(await whole.json()).toMatchObject({ id: 1, error: { message: "The upstream broke off." } });
  }
});

test("whoever has begun an answer may begin another in its place", async () => {
  const method: Method = async (_, { openAnswer }) => {
    await openAnswer().write(utf8("{"));
    const answer = openAnswer();
    await answer.write(utf8(ANSWER));
    return { kind: "written", answer };
  };
  const events = await eventsOf(await carryOutCall(method, CALL, http(STREAM)));
  expect(events.map(({ type }) => type)).toEqual(["aborted", "message"]);
});

describe("what is given up", () => {
  const writing: Method = async (_, { openAnswer }) => {
    const answer = openAnswer();
    await answer.write(utf8(ANSWER));
    return { kind: "written", answer };
  };
  const telling: Method = async () => ({ kind: "message", text: ANSWER });

  /** The signal comes when the method has made its answer, and before it goes out. */
  const givenUp = async (method: Method, signal: SessionSignal) => {
    const channel = localSessionChannel();
    const whole: Method = async (...given) => {
      const answer = await method(...given);
      await channel.publish(HASH, signal);
      return answer;
    };
    const gateway = gatewayOf(channel);
    return eventsOf(await carryOutCall(whole, CALL, http("text/event-stream"), { gateway, session: SESSION }));
  };

  test("by its client is not answered, however much of the answer is there", async () => {
    const cancelled: SessionSignal = { kind: "cancelled", requestId: 1 };
    expect(await givenUp(telling, cancelled)).toEqual([]);
    expect(await givenUp(writing, cancelled)).toEqual([{ type: "aborted", data: ANSWER }]);
  });

  test("because the session ended answers so", async () => {
    const over = { type: "message", data: expect.stringContaining("The session is over.") };
    expect(await givenUp(telling, { kind: "ended" })).toEqual([over]);
    expect(await givenUp(writing, { kind: "ended" })).toEqual([{ type: "aborted", data: ANSWER }, over]);
  });
});
