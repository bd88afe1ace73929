import { describe, expect, test } from "vitest";
import { localConnections } from "../../../lib/upstream/sse/held-connections.ts";
import { sseProxy } from "./proxy.ts";
import { ECHO, waitingCalls, withSSEServer } from "./sse-server.ts";

const upstream = withSSEServer();
const held = () => sseProxy(() => upstream.url);

describe("a connection ends", () => {
  test("with its session", async () => {
    const proxy = held();
    await Promise.all([proxy.send({ session: "a" }), proxy.send({ session: "b" })]);
    await proxy.channel.publish("a", { kind: "ended" });
    await Promise.race(upstream.streams.map(({ closed }) => closed));
    const calls = await Promise.all(["a", "b"].map((session) => proxy.send({ session })));
    expect(calls.map(({ answer }) => answer.result.calls)).toEqual([1, 2]);
  });

  test("when the instance stops, behind the request that runs; none is kept from then on", async () => {
    const stopping = new AbortController();
    const proxy = sseProxy(() => upstream.url, { stopping: stopping.signal });
    await Promise.all([proxy.send({ session: "idle" }), proxy.send()]);
    const { calls, arrived, answer } = waitingCalls(upstream);
    const running = proxy.send({ params: { name: "last" } });
    await arrived(1);
    stopping.abort();
    const idle = upstream.streams.find((stream) => stream !== calls[0]?.stream);
    await idle?.closed;
    answer("last", { done: true });
    expect((await running).answer.result).toEqual({ done: true });
    await calls[0]?.stream.closed;
    upstream.onMessage = ECHO;
    await proxy.send();
    await upstream.streams.at(-1)?.closed;
  });

  test("when it idles, and when another one needs its room", async () => {
    const idling = sseProxy(() => upstream.url, { upstreamConnections: localConnections({ connections: 9, idle: 1 }) });
    await idling.send();
    await upstream.streams[0]?.closed;
    const small = sseProxy(() => upstream.url, {
      upstreamConnections: localConnections({ connections: 1, idle: 60_000 }),
    });
    await small.send({ session: "a" });
    await small.send({ session: "b" });
    await upstream.streams[1]?.closed;
    expect((await small.send({ session: "b" })).answer.result.calls).toBe(2);
  });

  test("behind its request where all others are in use", async () => {
    const small = sseProxy(() => upstream.url, {
      upstreamConnections: localConnections({ connections: 1, idle: 60_000 }),
    });
    const { calls, arrived, answer } = waitingCalls(upstream);
    const running = small.send({ session: "a", params: { name: "a" } });
    await arrived(1);
    const other = small.send({ session: "b", params: { name: "b" } });
    await arrived(2);
    answer("b", {});
    await other;
    await calls[1]?.stream.closed;
    answer("a", {});
    await running;
  });

  test("where its session cannot be followed, with its request", async () => {
    const sessionChannel = { publish: async () => 0, follow: () => Promise.reject(new Error("gone")) };
    const proxy = sseProxy(() => upstream.url, { sessionChannel });
    await proxy.send();
    await upstream.streams[0]?.closed;
  });
});
