import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import { answerTo, readEvents } from "../../behaviour/mcp/events.ts";
import { modern, modernHeaders } from "../../behaviour/mcp/stateless-fixture.ts";
import { ALWAYS } from "../search/searching.ts";
import { type Answer, connectingGateway, LINK, RENEWED, repeating, TOKEN } from "./connecting-gateway.ts";

const it = connectingGateway();
const searched = connectingGateway({ catalog: ALWAYS });
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

let started: ReturnType<typeof it.begin>;
let token: string;
/** What the MCP server was asked, by method, with the token that came. */
let came: { readonly method: string; readonly authorization: string | null; readonly params: JsonObject }[];
/** What it answers to calls and to what else the test asks for. */
let answer: (message: JsonObject, request: Request) => Response;

beforeEach(async () => {
  started = it.begin();
  token = (await it.token()).text;
  came = [];
  answer = ({ id }) => result(id, { content: [{ type: "text", text: "booked" }] });
  it.upstreams.mcp = serve;
  searched.upstreams.mcp = serve;
});

function serve(message: JsonObject, request: Request): Response {
  const { id, method } = message;
  const params = isJsonObject(message.params) ? message.params : {};
  came.push({ method: String(method), authorization: request.headers.get("authorization"), params });
  if (method === "server/discover")
    return result(id, { supportedVersions: ["2026-07-28"], capabilities: { tools: {}, resources: {} } });
  if (method === "tools/list") return result(id, { tools: [{ name: "book", inputSchema: { type: "object" } }] });
  if (method === "resources/list") return result(id, { resources: [{ uri: "file:///book", name: "book" }] });
  if (method === "resources/templates/list") return result(id, { resourceTemplates: [] });
  // It tells of nothing that changes.
  if (method === "subscriptions/listen") return new Response(null, { status: 404 });
  return answer(message, request);
}

function result(id: unknown, body: JsonObject): Response {
  return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...body } });
}

async function send(
  method: string,
  params: object,
  capabilities: object = { elicitation: { url: {} } },
): Promise<Response> {
  const given = { ...params, _meta: { [CAPABILITIES]: capabilities } };
  return started.send({
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...modernHeaders(method, given),
    },
    body: JSON.stringify(modern(method, given)),
  });
}

async function ask(method: string, params: object = {}, capabilities?: object): Promise<Answer> {
  return (await answerTo(await send(method, params, capabilities))) as unknown as Answer;
}

const BOOK = { name: "ledger_book", arguments: {} };
const names = async () => {
  const { result } = await ask("tools/list");
  return result.tools.map(({ name }) => name).filter((name) => name.startsWith("ledger_"));
};

describe("an MCP server before its person has connected", () => {
  test("lists one tool, which tells how, and is not asked for anything", async () => {
    expect(await names()).toEqual(["ledger_connect"]);
    const { result } = await ask("tools/call", { name: "ledger_connect" }, {});
    expect(result.content[0]?.text).toContain(`${LINK}request-1`);
    expect(came).toEqual([]);
    expect(it.logs().filter((line) => line.includes("did not list"))).toEqual([]);
  });

  test("lists its own afterwards, and the call that waited says so", async () => {
    const { result } = await ask("tools/call", { name: "ledger_connect" });
    const again = ask("tools/call", { name: "ledger_connect", ...repeating(result) });
    await vi.waitFor(() => expect(started.connections.waiting()).toBe(1));
    started.connections.connect("notes:read");
    expect((await again).result.content[0]?.text).toContain("List the tools again");
    expect(await names()).toEqual(["ledger_book"]);
  });

  test("a call of a tool that nobody has listed waits as well, and goes out without what was asked meanwhile", async () => {
    const { result } = await ask("tools/call", BOOK);
    expect(result.resultType).toBe("input_required");
    const again = ask("tools/call", { ...BOOK, ...repeating(result) });
    await vi.waitFor(() => expect(started.connections.waiting()).toBe(1));
    started.connections.connect("notes:read");
    expect((await again).result.content[0]?.text).toBe("booked");
    const call = came.find(({ method }) => method === "tools/call");
    expect(call?.authorization).toBe(`Bearer ${TOKEN}`);
    expect(call?.params).not.toHaveProperty("requestState");
    expect(call?.params).not.toHaveProperty("inputResponses");
  });

  test("a resource is told of likewise: by a question, or by an error with the link", async () => {
    const uri = await resourceURI();
    started = it.begin();
    const { result: asked } = await ask("resources/read", { uri });
    expect(asked.resultType).toBe("input_required");
    const { error } = await ask("resources/read", { uri }, {});
    expect(error.message).toContain(`${LINK}request-2`);
    answer = ({ id }) => result(id, { contents: [{ uri: "file:///book", text: "a book" }] });
    const again = ask("resources/read", { uri, ...repeating(asked) });
    await vi.waitFor(() => expect(started.connections.waiting()).toBe(1));
    started.connections.connect("notes:read");
    expect((await again).result.contents[0]?.text).toBe("a book");
  });
});

describe("an MCP server before its person has connected, where tools are found by search", () => {
  beforeEach(async () => {
    started = searched.begin();
    token = (await searched.token()).text;
  });
  const said = async (name: string, given: object) => {
    const { result } = await ask("tools/call", { name, arguments: given }, {});
    return result.content[0]?.text ?? "";
  };
  const found = async (given: object) => {
    const text = await said("search_tools", given);
    return [...text.matchAll(/^(\w+)\(/gm)].map(([, name]) => name);
  };

  test.each<[string, object, (names: readonly (string | undefined)[]) => unknown, unknown]>([
    ["first by its own words", { query: "connect the ledger" }, (names) => names[0], "ledger_connect"],
    ["last behind what others have", { query: "read a note", limit: 50 }, (names) => names.at(-1), "ledger_connect"],
    ["where nothing has the words", { query: "zebra" }, (names) => names, ["ledger_connect"]],
    ["in its app", { query: "zebra", app: "ledger" }, (names) => names, ["ledger_connect"]],
    ["in no other app", { query: "connect", app: "notes" }, (names) => names.includes("ledger_connect"), false],
    [
      "not beyond as many as are wanted",
      { query: "note", limit: 1 },
      (names) => names,
      [expect.stringMatching(/Note/)],
    ],
  ])("its one tool is found %s", async (_, given, of, expected) => {
    expect(of(await found(given))).toEqual(expected);
    expect(came).toEqual([]);
  });

  test("its one tool is described and called as others are, and gives way to those that it has", async () => {
    expect(await said("describe_tools", { names: ["ledger_connect"] })).toContain('"name":"ledger_connect"');
    expect(await said("call_tool", { name: "ledger_connect" })).toContain(`${LINK}request-1`);
    started.connections.connect("notes:read");
    expect(await found({ query: "connect the ledger book" })).toContain("ledger_book");
    expect(await found({ query: "connect the ledger book" })).not.toContain("ledger_connect");
  });
});

describe("an agent without session that listens", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());
  const listen = async (notifications: object) => readEvents(await send("subscriptions/listen", { notifications }));

  test("hears of other lists once its person has connected, at the next look, and once", async () => {
    const events = await listen({ toolsListChanged: true, resourcesListChanged: true });
    const agreed = { toolsListChanged: true, resourcesListChanged: true };
    expect((await events.message())?.params).toMatchObject({ notifications: agreed });
    await vi.advanceTimersByTimeAsync(15_000);
    await vi.waitFor(() => expect(started.connections.waiting()).toBe(1));
    started.connections.connect("notes:read");
    const heard = [(await events.message())?.method, (await events.message())?.method];
    expect(heard).toEqual(["notifications/tools/list_changed", "notifications/resources/list_changed"]);
    expect(await names()).toEqual(["ledger_book"]);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await events.comment()).toBeDefined();
    await events.cancel();
  });

  test("hears nothing where the person was connected already", async () => {
    started.connections.connect("notes:read");
    const events = await listen({ toolsListChanged: true });
    await events.message();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(started.connections.waiting()).toBe(0);
    await events.cancel();
  });
});

/** As agents see it. */
async function resourceURI(): Promise<string> {
  started.connections.connect("notes:read");
  const { result } = await ask("resources/list");
  return result.resources[0]?.uri ?? "";
}

describe("an MCP server with the person's own token", () => {
  beforeEach(() => started.connections.connect("notes:read"));

  test.each<[string, (text: string) => object]>([
    ["a result", (text) => ({ result: { resultType: "complete", content: [{ type: "text", text }] } })],
    ["an error", (text) => ({ error: { code: -32000, message: text, data: { text } } })],
  ])("69. cannot show it to the agent in %s, however it is cut", async (_, said) => {
    for (const size of [1, 7, 1_000]) {
      answer = ({ id }, request) => {
        const bytes = new TextEncoder().encode(
          JSON.stringify({
            jsonrpc: "2.0",
            id,
            ...said(`${TOKEN.slice(0, 9)} ${request.headers.get("authorization")}`),
          }),
        );
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.slice(at * size, (at + 1) * size),
        );
        const body = new ReadableStream<Uint8Array>({
          pull: (controller) => {
            const chunk = chunks.shift();
            if (chunk === undefined) controller.close();
            else controller.enqueue(chunk);
          },
        });
        return new Response(body, { headers: { "content-type": "application/json" } });
      };
      const told = JSON.stringify(await ask("tools/call", BOOK));
      expect(told).toContain(`${TOKEN.slice(0, 9)} Bearer [redacted]`);
      expect(told).not.toContain(TOKEN);
    }
    expect(it.logs().join("")).not.toContain(TOKEN);
  });

  test("is asked once more after a 401, with a token that is refreshed", async () => {
    answer = ({ id }, request) =>
      request.headers.get("authorization") === `Bearer ${RENEWED}`
        ? result(id, { content: [{ type: "text", text: "booked" }] })
        : new Response(null, { status: 401 });
    expect((await ask("tools/call", BOOK)).result.content[0]?.text).toBe("booked");
  });

  test("that takes it no more is told of as none", async () => {
    await names();
    started.connections.lose();
    answer = () => new Response(null, { status: 401 });
    const { result } = await ask("tools/call", BOOK);
    expect(result.inputRequests.connect.params.message).toContain("again");
  });

  test("and more scopes wanted is as no connection", async () => {
    const challenge = 'Bearer error="insufficient_scope", scope="notes:read book:write"';
    answer = () => new Response(null, { status: 403, headers: { "www-authenticate": challenge } });
    const { result } = await ask("tools/call", BOOK);
    expect(result.inputRequests.connect.params.message).toContain("book:write");
    expect(started.connections.asked[0]?.want.scopes).toEqual(["notes:read", "book:write"]);
  });

  test("69. scopes that hold the token are no scopes", async () => {
    const challenge = `Bearer error="insufficient_scope", scope="notes:read x${TOKEN}x book:write"`;
    answer = () => new Response(null, { status: 403, headers: { "www-authenticate": challenge } });
    expect(JSON.stringify(await ask("tools/call", BOOK))).not.toContain(TOKEN);
    expect(started.connections.asked[0]?.want.scopes).toEqual(["notes:read", "book:write"]);
  });

  test("goes on with states of its own", async () => {
    answer = ({ id, params }) =>
      isJsonObject(params) && params.requestState === "its own"
        ? result(id, { content: [{ type: "text", text: "went on" }] })
        : Response.json({
            jsonrpc: "2.0",
            id,
            result: { resultType: "input_required", requestState: "its own" },
          });
    const { result: asked } = await ask("tools/call", BOOK);
    expect(asked.requestState).toEqual(expect.any(String));
    const { result: last } = await ask("tools/call", { ...BOOK, requestState: asked.requestState });
    expect(last.content[0]?.text).toBe("went on");
  });
});
