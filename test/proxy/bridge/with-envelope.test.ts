import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { ELICITATION, testProxy } from "./agent.ts";
import { statelessServer } from "./servers.ts";

const GREET = { name: "greet" };
const named = (name: string) => ({ result: { action: "accept", content: { name } } });

describe("30. an agent with a session at an upstream without", () => {
  test("30. what the upstream asks goes to the agent, and its answer goes with the repeated request", async () => {
    const server = statelessServer();
    const asked: JsonObject[] = [];
    const answer = (request: JsonObject) => {
      asked.push(request);
      return named("Alice");
    };
    const message = await testProxy(server.fetch).inSession(GREET, { answer });
    expect(message).toMatchObject({ id: "agent-0", result: { content: [{ text: "Hello Alice (greeting:0)" }] } });
    expect(asked).toMatchObject([
      { jsonrpc: "2.0", method: "elicitation/create", params: { message: "Who are you?" } },
    ]);
    expect(asked[0]?.id).toMatch(/^desk\/~[\w-]{22}$/);
    const [, first, second] = server.requests.filter(({ method }) => method !== "initialize");
    expect(first?.params).not.toHaveProperty("requestState");
    expect(second?.params).toMatchObject({
      requestState: "greeting:0",
      inputResponses: { who: { action: "accept", content: { name: "Alice" } } },
    });
  });

  test("30. as often as the upstream asks, with an answer of its own each time", async () => {
    const names = ["Alice", "Bob"];
    const message = await testProxy(statelessServer().fetch).inSession(
      { name: "introduce" },
      { answer: () => named(names.shift() ?? "") },
    );
    expect(message.result).toMatchObject({ content: [{ text: "Alice meets Bob" }] });
  });

  test("30. that a person declines is an answer; that the client fails ends the call", async () => {
    const proxy = testProxy(statelessServer().fetch);
    const declined = await proxy.inSession(GREET, { answer: () => ({ result: { action: "decline" } }) });
    expect(declined.result).toMatchObject({ content: [{ text: "Hello nobody (greeting:0)" }] });
    const failed = await proxy.inSession(GREET, { answer: () => ({ error: { code: -32603, message: "no" } }) });
    expect(failed.result).toMatchObject({
      isError: true,
      content: [
        { text: "The client did not do what the MCP server asked of it with elicitation/create (error -32603)." },
      ],
    });
  });

  test("30. who cannot be asked declares nothing that it could be asked for", async () => {
    const server = statelessServer();
    const proxy = testProxy(server.fetch);
    const call = proxy.inSession(GREET, { hears: false, capabilities: { ...ELICITATION, experimental: {} } });
    await expect(call).rejects.toMatchObject({ status: 400, error: { code: -32021 } });
    const meta = server.requests.at(-1)?.params._meta;
    expect(meta).toHaveProperty(["io.modelcontextprotocol/clientCapabilities"], { experimental: {} });
  });

  test("30. an upstream that asks for ever, or for what the client does not do, gets no further", async () => {
    const asking = (method: string) =>
      (async (_: unknown, init?: RequestInit) => {
        const { id, method: called } = JSON.parse(String(init?.body));
        if (called === "initialize") return Response.json({}, { status: 404 });
        const result =
          called === "server/discover"
            ? { supportedVersions: ["2026-07-28"] }
            : { resultType: "input_required", inputRequests: { a: { method, params: {} } } };
        return Response.json({ jsonrpc: "2.0", id, result });
      }) as typeof globalThis.fetch;
    let asked = 0;
    const answer = () => {
      asked += 1;
      return named("Alice");
    };
    const forever = await testProxy(asking("elicitation/create")).inSession(GREET, { answer });
    expect(forever.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("more than 16") }],
    });
    expect(asked).toBeLessThanOrEqual(17);
    asked = 0;
    for (const method of ["sampling/createMessage", "roots/list", "tools/call", ""]) {
      const { result } = await testProxy(asking(method)).inSession(GREET, { answer });
      expect(result).toMatchObject({ isError: true });
    }
    const read = await testProxy(asking("roots/list")).inSession({ uri: "a:b" }, { answer, method: "resources/read" });
    expect(read.error).toMatchObject({ code: -32603 });
    expect(asked).toBe(0);
  });

  test("30. a person who is sent to a page gets the id that clients of sessions want", async () => {
    const asked: JsonObject[] = [];
    const fetch = (async (_: unknown, init?: RequestInit) => {
      const { id, method, params } = JSON.parse(String(init?.body));
      if (method === "initialize") return Response.json({}, { status: 404 });
      const page = { method: "elicitation/create", params: { mode: "url", url: "https://a.example", message: "Pay" } };
      const open = params.inputResponses === undefined;
      const result =
        method === "server/discover"
          ? { supportedVersions: ["2026-07-28"] }
          : open
            ? { resultType: "input_required", inputRequests: { page } }
            : { resultType: "complete", content: [] };
      return Response.json({ jsonrpc: "2.0", id, result });
    }) as typeof globalThis.fetch;
    await testProxy(fetch).inSession(GREET, {
      capabilities: { elicitation: { url: {} } },
      answer: (request) => {
        asked.push(request);
        return { result: { action: "accept" } };
      },
    });
    expect(asked[0]).toMatchObject({
      params: { mode: "url", elicitationId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
  });

  test("30. a credential that ran out while a person was asked is renewed, and the person not asked again", async () => {
    const server = statelessServer();
    let asked = 0;
    let isOver = false;
    const fetch = (async (input, init) => {
      const isRenewed = new Headers(init?.headers).get("authorization") === "Bearer renewed";
      return isOver && !isRenewed ? new Response(null, { status: 401 }) : server.fetch(input, init);
    }) as typeof globalThis.fetch;
    const answer = () => {
      asked += 1;
      isOver = true;
      return named("Alice");
    };
    const renewed = { authorization: "Bearer renewed" };
    const { result } = await testProxy(fetch).inSession(GREET, { answer, renewed });
    expect(result).toMatchObject({ content: [{ text: "Hello Alice (greeting:0)" }] });
    expect(asked).toBe(1);
    expect(server.calls()).toBe(2);
    isOver = false;
    const refused = testProxy(fetch).inSession(GREET, { answer });
    await expect(refused).rejects.toMatchObject({ status: 401 });
  });

  test("30. an upstream that forgot what it asked does not get the request from the beginning", async () => {
    const server = statelessServer();
    let isReplaced = false;
    const fetch = (async (input, init) =>
      isReplaced ? new Response(null, { status: 404 }) : server.fetch(input, init)) as typeof globalThis.fetch;
    const answer = () => {
      isReplaced = true;
      return named("Alice");
    };
    const { result } = await testProxy(fetch).inSession(GREET, { answer });
    expect(result).toMatchObject({ isError: true });
    expect(server.calls()).toBe(1);
  });

  test("30. the agent that gives up while it is asked is told so", async () => {
    const left = new AbortController();
    const told: JsonObject[] = [];
    const answer = (request: JsonObject) => {
      told.push(request);
      queueMicrotask(() => left.abort("cancelled_by_client"));
      return undefined;
    };
    const call = testProxy(statelessServer().fetch).inSession(GREET, { answer, signal: left.signal });
    await expect(call).rejects.toMatchObject({ reason: "aborted" });
    expect(told[1]).toMatchObject({ method: "notifications/cancelled", params: { requestId: told[0]?.id } });
  });
});
