import { expect, onTestFinished, test, vi } from "vitest";
import { testProxy } from "./agent.ts";
import { type SdkServer, sessionServer, statelessServer, v1Server } from "./servers.ts";

const ECHO = { name: "echo", arguments: { n: 1 } };
const ECHOED = { content: [{ text: '{"n":1}' }] };

type Fetch = typeof globalThis.fetch;

/** Answers `server/discover` in its own way, and everything else as an SDK server with sessions. */
function discoveredAs(answer: (id: unknown, init: RequestInit) => Response | Promise<Response>): SdkServer {
  const server = sessionServer();
  const fetch: Fetch = async (input, init) => {
    const { id, method } = JSON.parse(String(init?.body ?? "{}"));
    return method === "server/discover" ? answer(id, init as RequestInit) : server.fetch(input, init);
  };
  return { ...server, fetch };
}

const error =
  (status: number, code: number, message: string, headers = {}) =>
  (id: unknown) =>
    Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status, headers });

test.each([
  ["SDK 2, both", () => statelessServer({ legacy: "stateless" })],
  ["SDK 2, without sessions", () => statelessServer()],
  ["SDK 2, with sessions", sessionServer],
  ["SDK 1, with sessions", () => v1Server(true)],
  ["SDK 1, without session ids", () => v1Server(false)],
  ["mcp-proxy, supergateway", () => discoveredAs(error(400, -32000, "Bad Request: No valid session ID provided"))],
  ["a server that knows no such method", () => discoveredAs(error(200, -32601, "Method not found"))],
  ["a server that fails over it", () => discoveredAs(error(500, -32603, "Internal error"))],
  ["the SDK for Go", () => discoveredAs(() => new Response("unsupported protocol version", { status: 400 }))],
  ["a server that accepts and forgets", () => discoveredAs(() => new Response(null, { status: 202 }))],
  [
    "a server behind a page",
    () => discoveredAs(() => new Response("<p>", { headers: { "content-type": "text/html" } })),
  ],
])("agents of both generations get through to %s", async (_, open) => {
  const server = open();
  const proxy = testProxy(server.fetch);
  for (const _round of [1, 2]) {
    expect((await proxy.stateless(ECHO)).result).toMatchObject({ ...ECHOED, resultType: "complete" });
    expect((await proxy.inSession(ECHO, {})).result).toMatchObject(ECHOED);
  }
  expect(server.requests.filter(({ method }) => method === "tools/call")).toHaveLength(4);
});

test("a session that a server begins although it refuses is ended", async () => {
  const ended: (string | null)[] = [];
  const server = discoveredAs(error(400, -32600, "Bad Request: Missing session ID", { "mcp-session-id": "unasked" }));
  const proxy = testProxy(((input, init) => {
    if (init?.method === "DELETE") ended.push(new Headers(init.headers).get("mcp-session-id"));
    return server.fetch(input, init);
  }) as Fetch);
  await proxy.stateless(ECHO);
  expect(ended[0]).toBe("unasked");
});

test("a server that stays silent when asked leaves time for the call", async () => {
  const silent = (_: unknown, { signal }: RequestInit) =>
    new Promise<Response>((_resolve, reject) =>
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true }),
    );
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const called = testProxy(discoveredAs(silent).fetch).stateless(ECHO, { app: { timeout: 10_000 } });
  await vi.advanceTimersByTimeAsync(5_000);
  expect((await called).result).toMatchObject(ECHOED);
});

test.each([401, 403, 429, 503])(
  "HTTP %i tells nothing of a generation, and nothing is learnt of it",
  async (status) => {
    const server = statelessServer();
    let isRefused = true;
    const proxy = testProxy(((input, init) =>
      isRefused ? Promise.resolve(new Response(null, { status })) : server.fetch(input, init)) as Fetch);
    await expect(proxy.stateless(ECHO)).rejects.toMatchObject({ status });
    await expect(proxy.inSession(ECHO, {})).rejects.toMatchObject({ status });
    isRefused = false;
    expect((await proxy.stateless(ECHO)).result).toMatchObject(ECHOED);
    expect((await proxy.inSession(ECHO, {})).result).toMatchObject(ECHOED);
  },
);

test("an upstream that is replaced by a release of the other generation is spoken to in that one, and makes each call once", async () => {
  const old = [v1Server(true), sessionServer()];
  const releases = [...old, statelessServer(), v1Server(true), statelessServer(), v1Server(false)];
  let current: SdkServer = old[0] as SdkServer;
  const proxy = testProxy(((input, init) => current.fetch(input, init)) as Fetch);
  for (const release of releases) {
    current = release;
    expect((await proxy.stateless(ECHO)).result).toMatchObject({ ...ECHOED, resultType: "complete" });
    expect((await proxy.inSession(ECHO, {})).result).toMatchObject(ECHOED);
    // What was refused was not carried out.
    expect(release.calls()).toBe(2);
  }
});

test("an error of the tool is no refusal of a generation", async () => {
  const server = statelessServer();
  const proxy = testProxy(server.fetch);
  await proxy.stateless(ECHO);
  const { error: failed } = await proxy.stateless({ name: "fail", arguments: {} });
  expect(failed).toMatchObject({ code: -32000, message: "no session for you" });
  expect(server.calls()).toBe(2);
  expect(server.requests.filter(({ method }) => method === "server/discover")).toHaveLength(1);
});
