import { expect, test } from "vitest";
import { type RpcAnswer, textOf } from "../../behaviour/gateway-fixture.ts";
import { type Message, messagesOf } from "../../behaviour/mcp/events.ts";
import { beginEvents, type Received, resultOf, withHostile, writeEndlessly } from "./hostile-gateway.ts";

const it = withHostile();
const ARGUED = { name: "bad_tool", arguments: {}, _meta: { progressToken: "mine" } };

/** Answers with these events, and the answer behind them. */
const says =
  (...texts: readonly string[]) =>
  ({ response, id }: Received) => {
    beginEvents({ response });
    response.end([...texts, resultOf(id)].map((text) => `data: ${text}\n\n`).join(""));
  };

const heard = async (): Promise<readonly Message[]> => messagesOf(await it.gateway.send("tools/call", ARGUED));

test("an answer that comes twice is one answer", async () => {
  it.does((received) => {
    const again = resultOf(received.id, "again");
    says(resultOf(received.id, "first"), again)(received);
  });
  const messages = await heard();
  expect(messages).toMatchObject([{ id: 1, result: { content: [{ text: "first" }] } }]);
  expect(await it.records()).toMatchObject([{ outcome: "success" }]);
});

test("answers to what nobody asked, broken messages, odd requests and odd events are passed over", async () => {
  const requests = ["{}", "null", "1.5", '"../x"', "[1]", "true", '"__proto__"', JSON.stringify("x".repeat(30_000))];
  it.does(
    says(
      resultOf("77", "another's"),
      resultOf('"1"', "another's"),
      "no JSON",
      "[]",
      '{"jsonrpc":"1.0","id":1,"result":{}}',
      '{"jsonrpc":"2.0","method":7}',
      ...requests.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"roots/list"}`),
    ),
  );
  expect(await heard()).toMatchObject([{ id: 1, result: { content: [{ text: "at last" }] } }]);
  expect(await it.gateway.inSession("tools/call", ARGUED)).toMatchObject({
    result: { content: [{ text: "at last" }] },
  });
});

test("a flood of progress goes on to the agent, all of it", async () => {
  const count = 20_000;
  const told = (progress: number) =>
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":${progress}}}`;
  it.does(says(...Array.from({ length: count }, (_, at) => told(at))));
  const messages = await heard();
  expect(messages).toHaveLength(count + 1);
  expect(messages.at(-2)).toMatchObject({ params: { progressToken: "mine", progress: count - 1 } });
});

test("an agent that reads nothing is left by the gateway, and the upstream with it", async () => {
  const padding = "x".repeat(60_000);
  it.does(({ response }) => {
    beginEvents({ response });
    writeEndlessly(
      response,
      () => `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${padding}"}}\n\n`,
    );
  });
  const response = await it.gateway.send("tools/call", ARGUED);
  expect(response.status).toBe(200);
  await it.left();
  await expect.poll(it.records).toMatchObject([{ outcome: "cancelled", reason: "agent_left" }]);
});

test("an endless result goes no faster than the agent reads, and ends when it leaves", async () => {
  let written = 0;
  it.does(({ response, id }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    writeEndlessly(response, () => {
      written += 1;
      return "x".repeat(64 * 1024);
    });
  });
  const { body } = await it.gateway.send("tools/call", ARGUED);
  const reader = body?.getReader();
  for (let read = 0; read < 10 * 1024 * 1024; ) read += (await reader?.read())?.value?.length ?? 0;
  const before = written;
  // What the sockets of both sides and the gateway hold.
  expect(before * 64 * 1024).toBeLessThan(40 * 1024 * 1024);
  await reader?.cancel();
  await it.left();
  await expect.poll(it.records).toMatchObject([{ outcome: "cancelled" }]);
});

test("an endless result for an agent that takes JSON alone is refused", async () => {
  it.does(({ response, id }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    writeEndlessly(response, () => "x".repeat(1024 * 1024));
  });
  const response = await it.gateway.send("tools/call", ARGUED, { accept: "application/json" });
  expect(response.status).toBe(200);
  const { result } = (await response.json()) as RpcAnswer;
  expect(textOf({ ...(result && { result }) })).toMatch(/16777216 bytes|did not answer/);
  expect(result?.isError).toBe(true);
  await it.left();
});

test("a flood of pings is not answered with a flood of requests", async () => {
  const pings = Array.from({ length: 20_000 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
  let open = 0;
  let most = 0;
  it.does(says(...pings));
  it.does(({ response }) => {
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      response.writeHead(202).end();
    }, 50);
  }, "");
  const answer = await it.gateway.inSession("tools/call", ARGUED);
  expect(answer).toMatchObject({ result: { content: [{ text: "at last" }] } });
  await it.gateway.settled();
  expect(most).toBeGreaterThan(0);
  // Some more than are on their way where the machine is slow: those that were given up count as well.
  expect(most).toBeLessThan(1_000);
});

test("nothing of all that is a mistake of ours by the log", () => {
  expect(it.gateway.logs.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
