import { describe, expect, test } from "vitest";
import { GivenUp } from "../../../lib/kernel/cancellation.ts";
import { LONG, sseProxy } from "./proxy.ts";
import { type Posted, withSSEServer } from "./sse-server.ts";

const upstream = withSSEServer();
const alone = sseProxy(() => upstream.url, { upstreamConnections: undefined });
const methods = () => upstream.posts.map(({ message }) => message.method ?? "answer");

describe("a connection for one request", () => {
  test("begins with the handshake and is closed behind the answer", async () => {
    const headers = { authorization: "Bearer t" };
    const { answer } = await alone.send({ headers, agent: { logLevel: "info" }, params: { arguments: { a: 1 } } });
    expect(answer).toEqual({ jsonrpc: "2.0", id: "one", result: { said: { a: 1 }, calls: 1 } });
    expect(methods()).toEqual(["initialize", "notifications/initialized", "logging/setLevel", "tools/call"]);
    expect(upstream.posts[0]?.message.params).toEqual({
      protocolVersion: "2025-06-18",
      capabilities: { elicitation: {} },
      clientInfo: { name: "agent", version: "1" },
    });
    expect(upstream.streams).toHaveLength(1);
    for (const { headers: sent } of [...upstream.streams, ...upstream.posts]) expect(sent).toMatchObject(headers);
    expect(upstream.posts.at(-1)?.headers["mcp-protocol-version"]).toBe("2024-11-05");
    await upstream.streams[0]?.closed;
  });

  test("tells the agent what the upstream says meanwhile, in order", async () => {
    upstream.onMessage = ({ message, stream }: Posted) => {
      if (message.method !== "tools/call") return;
      stream.send({ method: "notifications/progress", params: { progressToken: "p", progress: 1 } });
      stream.send({ method: "notifications/message", params: { level: "info", data: 1 } });
      stream.send({ id: message.id, result: {} });
    };
    const { heard } = await alone.send({ params: { _meta: { progressToken: "p" } } });
    expect(heard.map(({ method }) => method)).toEqual(["notifications/progress", "notifications/message"]);
  });

  test("carries a question to the agent and its answer back, by the session's channel", async () => {
    upstream.onMessage = ({ message, stream }) => {
      if (message.method === "tools/call")
        stream.send({ id: 7, method: "elicitation/create", params: { message: "?" } });
      else if (message.id === 7) stream.send({ id: stream.posted.at(-2)?.id, result: { got: message.result } });
    };
    const heard: unknown[] = [];
    const relay = (asked: Readonly<Record<string, unknown>>) => {
      heard.push(asked.method);
      const message = { jsonrpc: "2.0", id: asked.id, result: { action: "accept" } };
      void alone.channel.publish("session", { kind: "response", id: String(asked.id), message });
    };
    const { answer } = await alone.send({ agent: { relay } });
    expect(answer.result).toEqual({ got: { action: "accept" } });
    expect(heard).toEqual(["elicitation/create"]);
  });

  test("of an agent without session tells the upstream that nobody can be asked, and says that results are complete", async () => {
    upstream.onMessage = ({ message, stream }) => {
      if (message.method === "tools/call") stream.send({ id: 7, method: "elicitation/create", params: {} });
      else if (message.id === 7) stream.send({ id: stream.posted.at(-2)?.id, result: { got: message.error?.code } });
    };
    const params = { name: "t", _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", other: 1 } };
    const agent = { generation: "stateless", protocolVersion: "2026-07-28", hearsRequests: false } as const;
    const { answer } = await alone.send({ session: undefined, params, agent });
    expect(answer.result).toEqual({ got: -32601, resultType: "complete" });
    const [first, , call] = upstream.posts.map(({ message }) => message.params);
    expect(first).toMatchObject({ protocolVersion: "2025-11-25", capabilities: {} });
    expect(call).toEqual({ name: "t", _meta: { other: 1 } });
  });

  test("takes no subscription, which would end with it", async () => {
    await expect(alone.send({ method: "resources/subscribe", params: { uri: "a:b" } })).rejects.toMatchObject({
      error: { code: -32601 },
    });
  });

  test("passes a long answer on while it comes", async () => {
    upstream.onMessage = ({ message, stream }) => {
      if (message.method === "tools/call") stream.send({ result: { text: LONG }, id: message.id });
    };
    const { answer, isWritten } = await alone.send();
    expect(answer).toEqual({ jsonrpc: "2.0", id: "one", result: { text: LONG } });
    expect(isWritten).toBe(true);
  });

  test("takes an answer that comes before the HTTP response to its request", async () => {
    upstream.onMessage = ({ message, stream }) => {
      if (message.method === "tools/call") stream.send({ id: message.id, result: { early: true } });
      return message.method === "tools/call";
    };
    expect((await alone.send()).answer.result).toEqual({ early: true });
  });
});

describe("what goes wrong", () => {
  test("an upstream that names an endpoint of another origin is posted nothing", async () => {
    upstream.endpoint = () => `${new URL(upstream.url).origin.replace("127.0.0.1", "localhost")}/messages?session=0`;
    await expect(alone.send()).rejects.toMatchObject({ reason: "redirect" });
    expect(upstream.posts).toEqual([]);
    await upstream.streams[0]?.closed;
  });

  test("a refusal of the stream is the upstream's own, with its status", async () => {
    upstream.onGet = (response) => void response.writeHead(401).end();
    await expect(alone.send()).rejects.toMatchObject({ name: "UpstreamRefusal", status: 401 });
  });

  test.each([
    ["a page", 200, { "content-type": "text/html" }, "not_mcp"],
    ["a redirect", 307, { location: "http://127.0.0.1:9/" }, "redirect"],
    ["a stream that ends at once", 200, { "content-type": "text/event-stream" }, "broken_off"],
  ])("%s instead of the stream", async (_, status, headers, reason) => {
    upstream.onGet = (response) => void response.writeHead(status, headers).end("");
    await expect(alone.send()).rejects.toMatchObject({ reason });
  });

  test("a refusal of the request is the upstream's own as well", async () => {
    upstream.onMessage = ({ message, response }) => {
      if (message.method === "tools/call") response.writeHead(403).end();
      return message.method === "tools/call";
    };
    await expect(alone.send()).rejects.toMatchObject({ name: "UpstreamRefusal", status: 403 });
  });

  test("a stream that ends before the answer breaks the call off", async () => {
    upstream.onMessage = ({ message, stream }) => void (message.method === "tools/call" && stream.end());
    await expect(alone.send()).rejects.toMatchObject({ reason: "broken_off" });
  });

  test("an upstream that stays silent is given up when the time is over, also where it names no endpoint", async () => {
    upstream.onGet = (response) =>
      void response.writeHead(200, { "content-type": "text/event-stream" }).write(": \n\n");
    await expect(alone.send({ timeout: 50 })).rejects.toMatchObject({ reason: "aborted" });
  });

  test("what the agent gives up is cancelled at the upstream before the connection is closed", async () => {
    const agent = new AbortController();
    let id: unknown;
    upstream.onMessage = ({ message }) => {
      if (message.method === "tools/call") agent.abort(new GivenUp("cancelled_by_client", "not needed any more"));
      if (message.method === "tools/call") id = message.id;
    };
    await expect(alone.send({ signal: agent.signal })).rejects.toMatchObject({ reason: "aborted" });
    await upstream.streams[0]?.closed;
    expect(upstream.posts.at(-1)?.message).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: id, reason: "not needed any more" },
    });
  });
});
