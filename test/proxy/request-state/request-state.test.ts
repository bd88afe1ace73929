import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { InvalidRequestState } from "../../../lib/upstream/request-state/sealed-state.ts";
import { type TestProxy, testProxy } from "../bridge/agent.ts";
import { type SdkServer, statelessServer } from "../bridge/servers.ts";

const GREET = { name: "greet", arguments: { politely: true } };
const ALICE = { action: "accept", content: { name: "Alice" } };

function open(): { readonly server: SdkServer; readonly proxy: TestProxy } {
  const server = statelessServer();
  return { server, proxy: testProxy(server.fetch) };
}

async function ask(proxy: TestProxy, call: JsonObject = GREET): Promise<JsonObject> {
  const { result } = await proxy.stateless(call);
  expect(result).toMatchObject({ resultType: "input_required" });
  return result as JsonObject;
}

const again = (requestState: unknown, more: JsonObject = {}): JsonObject => ({
  ...GREET,
  inputResponses: { who: ALICE },
  requestState,
  ...more,
});

describe("30. an upstream's requestState is sealed", () => {
  test("30. it comes back to the upstream as it was, and any number of times", async () => {
    const { server, proxy } = open();
    const { requestState, inputRequests } = await ask(proxy);
    expect(requestState).toMatch(/^[\w-]{40,}$/);
    expect(atob(String(requestState).replaceAll("-", "+").replaceAll("_", "/"))).not.toContain("greeting");
    expect(inputRequests).toMatchObject({ who: { method: "elicitation/create", params: { message: "Who are you?" } } });
    for (const _ of [1, 2]) {
      const { result } = await proxy.stateless(again(requestState));
      expect(result).toMatchObject({ content: [{ text: "Hello Alice (greeting:0)" }], resultType: "complete" });
    }
    expect(server.requests.at(-1)?.params).toMatchObject({ requestState: "greeting:0" });
  });

  test("30. what is altered, somebody else's, of another call or too old is refused before the upstream hears of it", async () => {
    const { server, proxy } = open();
    const { requestState } = await ask(proxy);
    const sent = server.requests.length;
    const invalid = (params: JsonObject, options = {}) =>
      expect(proxy.stateless(params, options)).rejects.toMatchObject({
        message: "invalid requestState",
        error: { code: -32602, data: { reason: "invalid_request_state" } },
      });
    await invalid(again(`${requestState}-TAMPERED`));
    const [first] = String(requestState);
    await invalid(again(`${first === "A" ? "B" : "A"}${String(requestState).slice(1)}`));
    await invalid(again("greeting:0"));
    await invalid(again(""));
    await invalid(again({ state: requestState }));
    await invalid(again(requestState), { principal: "mallory" });
    await invalid(again(requestState), { principal: "" });
    await invalid(again(requestState, { name: "introduce" }));
    await invalid(again(requestState, { arguments: { politely: false } }));
    await invalid(again(requestState), { method: "prompts/get" });
    await invalid(again(requestState), { app: { name: "other" } });
    await invalid(again(requestState), { app: { url: "http://other.example/mcp" } });
    proxy.clock.time += 10 * 60_000;
    await invalid(again(requestState));
    // Those of another app asked which generation it speaks.
    expect(server.requests.slice(sent).filter(({ method }) => method !== "server/discover")).toEqual([]);
  });

  test("30. any instance with the same secret opens it, and no other", async () => {
    const { server, proxy } = open();
    const { requestState } = await ask(proxy);
    const { result } = await testProxy(server.fetch).stateless(again(requestState));
    expect(result).toMatchObject({ content: [{ text: "Hello Alice (greeting:0)" }] });
    const other = testProxy(server.fetch, { stateSecret: new Uint8Array(32).fill(8) });
    await expect(other.stateless(again(requestState))).rejects.toBeInstanceOf(InvalidRequestState);
  });

  test("30. where the upstream has none, the agent gets none", async () => {
    const { proxy } = open();
    const introduce = { name: "introduce" };
    const first = await ask(proxy, introduce);
    expect(first).not.toHaveProperty("requestState");
    const { result } = await proxy.stateless({ ...introduce, inputResponses: { who: ALICE } });
    const { requestState } = result as JsonObject;
    const bob = { action: "accept", content: { name: "Bob" } };
    const last = await proxy.stateless({ ...introduce, inputResponses: { who: bob }, requestState });
    expect(last.result).toMatchObject({ content: [{ text: "Alice meets Bob" }] });
  });
});

describe("30. long requests for input", () => {
  const upstream = (result: (length: number) => string, length: number) =>
    (async (_: unknown, init?: RequestInit) => {
      const { id, method } = JSON.parse(String(init?.body));
      const body = method === "server/discover" ? '{"supportedVersions":["2026-07-28"]}' : result(length);
      return new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${body}}`, {
        headers: { "content-type": "application/json" },
      });
    }) as typeof globalThis.fetch;
  const typeLast = (length: number) =>
    `{"requestState":"secret","inputRequests":{"a":{"method":"roots/list","x":"${"y".repeat(length)}"}},"resultType":"input_required"}`;

  test("30. one of less than 1 MiB is sealed like any other, wherever its type stands", async () => {
    const { result } = await testProxy(upstream(typeLast, 500_000)).stateless(GREET);
    const { requestState, inputRequests } = result as JsonObject;
    expect(requestState).toMatch(/^[\w-]{40,}$/);
    expect(inputRequests).toEqual({ a: { method: "roots/list", x: "y".repeat(500_000) } });
  });

  test("30. a longer one does not get through", async () => {
    const proxy = testProxy(upstream(typeLast, 1_100_000));
    await expect(proxy.stateless(GREET)).rejects.toMatchObject({ reason: "too_large" });
  });

  test("a complete result of any length does, with and without its type", async () => {
    const complete = (type: string) => (length: number) =>
      `{${type}"content":[{"type":"text","text":"${"z".repeat(length)}"}]}`;
    for (const type of ['"resultType":"complete",', ""])
      for (const length of [100_000, 3_000_000]) {
        const { result } = await testProxy(upstream(complete(type), length)).stateless(GREET);
        expect(result).toMatchObject({ content: [{ text: "z".repeat(length) }] });
      }
  });
});
