import { describe, expect, test, vi } from "vitest";
import { postOnConnection } from "../../../lib/upstream/sse/lease.ts";
import { LONG, sseProxy } from "./proxy.ts";
import { ECHO, type Posted, waitingCalls, withSSEServer } from "./sse-server.ts";

const upstream = withSSEServer();
const held = () => sseProxy(() => upstream.url);

describe("the connection of a session", () => {
  test("stays open between requests, which each carry their own credential", async () => {
    const proxy = held();
    const first = await proxy.send({ headers: { authorization: "Bearer 1" } });
    const second = await proxy.send({ headers: { authorization: "Bearer 2" } });
    expect([first, second].map(({ answer }) => answer.result.calls)).toEqual([1, 2]);
    expect(upstream.posts.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer 1",
      "Bearer 1",
      "Bearer 1",
      "Bearer 2",
    ]);
  });

  test("is that of no other session and of no other principal", async () => {
    const proxy = held();
    for (const call of [{ session: "a" }, { session: "b" }, { session: "a", principal: "bob" }])
      expect((await proxy.send(call)).answer.result.calls).toBe(1);
    expect(upstream.streams).toHaveLength(3);
  });

  test("is one also where requests begin at the same time", async () => {
    const proxy = held();
    await Promise.all([proxy.send(), proxy.send(), proxy.send()]);
    const open = upstream.streams.filter(({ posted }) => posted.some(({ method }) => method === "tools/call"));
    expect(open).toHaveLength(1);
  });

  test("has several requests at once, also with one id, and each gets its own answer and progress", async () => {
    const proxy = held();
    await proxy.send();
    const { calls, arrived, answer } = waitingCalls(upstream);
    const names = ["a", "b"];
    const sent = names.map((name) => proxy.send({ params: { name, _meta: { progressToken: name } } }));
    await arrived(2);
    const { stream } = calls[0] as Posted;
    stream.send({ method: "notifications/progress", params: { progressToken: "a", progress: 1 } });
    for (const name of ["b", "a"]) answer(name, { name });
    const done = await Promise.all(sent);
    expect(done.map(({ answer: { id, result } }) => [id, result.name])).toEqual([
      ["one", "a"],
      ["one", "b"],
    ]);
    expect(done.map(({ heard }) => heard.length)).toEqual([1, 0]);
  });

  test("gives long answers whose ids come last to whom they belong", async () => {
    const proxy = held();
    await proxy.send();
    const { arrived, answer } = waitingCalls(upstream);
    const sent = ["a", "b"].map((name) => proxy.send({ params: { name } }));
    await arrived(2);
    answer("b", { name: "b", LONG });
    answer("a", { name: "a", LONG });
    const done = await Promise.all(sent);
    expect(done.map(({ answer: { result } }) => result)).toEqual([
      { name: "a", LONG },
      { name: "b", LONG },
    ]);
  });

  test("takes the late long answer to what was given up for nobody's", async () => {
    const proxy = held();
    await proxy.send();
    const { calls, arrived, answer } = waitingCalls(upstream);
    const agent = new AbortController();
    const given = proxy.send({ params: { name: "late" }, signal: agent.signal });
    await arrived(1);
    agent.abort("cancelled_by_client");
    await expect(given).rejects.toMatchObject({ reason: "aborted" });
    const next = proxy.send({ params: { name: "next" } });
    await arrived(2);
    expect(calls[0]?.stream).toBe(calls[1]?.stream);
    answer("late", { name: "late", LONG });
    answer("next", { name: "next", LONG });
    expect((await next).answer.result.name).toBe("next");
  });

  test("goes on when a reader leaves in the middle of its long answer", async () => {
    const proxy = held();
    await proxy.send();
    const { arrived, answer } = waitingCalls(upstream);
    const openAnswer = () => ({
      write: () => Promise.reject(new Error("nobody reads")),
      commit: () => undefined,
      withdraw: () => undefined,
    });
    const left = proxy.send({ params: { name: "left" }, agent: { openAnswer } });
    await arrived(1);
    answer("left", { LONG });
    await expect(left).rejects.toThrow("nobody reads");
    upstream.onMessage = ECHO;
    expect((await proxy.send()).answer.result.calls).toBe(3);
  });

  test("goes on when its agent gives up while the upstream pauses within a long answer", async () => {
    const proxy = held();
    await proxy.send();
    const { calls, arrived } = waitingCalls(upstream);
    const agent = new AbortController();
    const written = Promise.withResolvers<void>();
    let count = 0;
    const openAnswer = () => ({
      write: async ({ length }: Uint8Array) => {
        count += length;
        if (count >= LONG.length) written.resolve();
      },
      commit: () => undefined,
      withdraw: () => undefined,
    });
    const given = proxy.send({ signal: agent.signal, agent: { openAnswer } });
    await arrived(1);
    const { stream, message } = calls[0] as Posted;
    stream.write(`data: {"jsonrpc":"2.0","id":${message.id},"result":{"text":"${LONG}`);
    await written.promise;
    agent.abort("cancelled_by_client");
    await expect(given).rejects.toMatchObject({ reason: "aborted" });
    upstream.onMessage = ECHO;
    stream.write('"}}\n\n');
    expect((await proxy.send()).answer.result.calls).toBe(3);
  });

  test("that the upstream has forgotten is opened anew, once; the call is carried out once", async () => {
    const proxy = held();
    await proxy.send();
    upstream.onMessage = (posted) => {
      const isForgotten = posted.stream.number === 0;
      if (isForgotten) posted.response.writeHead(404).end("Session not found");
      else ECHO(posted);
      return isForgotten;
    };
    expect((await proxy.send()).answer.result.calls).toBe(1);
    await upstream.streams[0]?.closed;
    upstream.onMessage = ({ response }) => response.writeHead(404).end().writableEnded;
    await expect(proxy.send({ session: "other" })).rejects.toMatchObject({ status: 404 });
    // What a new connection is told is meant.
    expect(upstream.streams).toHaveLength(3);
  });

  test("that ended while nothing ran is opened anew; one that ends before an answer breaks it off", async () => {
    const proxy = held();
    await proxy.send();
    upstream.streams[0]?.end();
    await expect.poll(() => proxy.send().then(({ answer }) => answer.result.calls)).toBe(1);
    upstream.onMessage = ({ message, stream }) => void (message.method === "tools/call" && stream.end());
    await expect(proxy.send()).rejects.toMatchObject({ reason: "broken_off" });
  });

  test("is kept when a credential is refused: the call may be made with another", async () => {
    const proxy = held();
    await proxy.send();
    upstream.onMessage = (posted) => {
      const isRefused = posted.message.params?.name === "refused";
      if (isRefused) posted.response.writeHead(401).end();
      else ECHO(posted);
      return isRefused;
    };
    await expect(proxy.send({ params: { name: "refused" } })).rejects.toMatchObject({ status: 401 });
    expect((await proxy.send()).answer.result.calls).toBe(3);
  });
});

describe("between the requests of a session", () => {
  test("what the upstream says goes out on the session's stream, and lists are out of date", async () => {
    const proxy = held();
    await proxy.send();
    const invalidate = vi.spyOn(proxy.state.catalogs, "invalidate");
    const told = Promise.withResolvers<unknown>();
    await proxy.channel.follow("session", (signal) => void (signal.kind === "message" && told.resolve(signal.message)));
    upstream.streams[0]?.send({ method: "notifications/tools/list_changed" });
    expect(await told.promise).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    expect(invalidate).toHaveBeenCalledExactlyOnceWith("desk", "tools");
  });

  test("a ping is answered", async () => {
    await held().send();
    const answered = Promise.withResolvers<unknown>();
    upstream.onMessage = ({ message }) => answered.resolve(message);
    upstream.streams[0]?.send({ id: "p", method: "ping" });
    expect(await answered.promise).toEqual({ jsonrpc: "2.0", id: "p", result: {} });
  });

  test("what the agent's session has to say is posted on the connection, and nowhere without one", async () => {
    const proxy = held();
    await proxy.send();
    const message = { jsonrpc: "2.0", id: 7, result: { action: "decline" } };
    const headers = { authorization: "Bearer 3" };
    expect(await postOnConnection(message, proxy.upstreamOf({ headers }).upstream)).toBe(true);
    expect(upstream.posts.at(-1)).toMatchObject({ message, headers });
    for (const other of [{ session: "other" }, { session: undefined }, { principal: "bob" }])
      expect(await postOnConnection(message, proxy.upstreamOf(other).upstream)).toBe(false);
  });

  test("a question is the agent's, under an id that leads back", async () => {
    const proxy = held();
    await proxy.send();
    upstream.onMessage = ({ message, stream }) => {
      if (message.method === "tools/call") stream.send({ id: 7, method: "elicitation/create", params: {} });
      else if (message.id === 7) stream.send({ id: stream.posted.at(-2)?.id, result: { got: message.result } });
    };
    const { promise, resolve } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    const call = proxy.send({ agent: { relay: resolve } });
    expect(await promise).toMatchObject({ id: "desk/7", method: "elicitation/create" });
    await postOnConnection({ id: 7, result: { action: "accept" } }, proxy.upstreamOf({}).upstream);
    expect((await call).answer.result).toEqual({ got: { action: "accept" } });
  });
});
