import { beforeEach, describe, expect, test, vi } from "vitest";
import { answerTo, messagesOf, readEvents } from "../../behaviour/mcp/events.ts";
import { request } from "../../behaviour/mcp/session.ts";
import { modern, modernHeaders } from "../../behaviour/mcp/stateless-fixture.ts";
import { type Answer, connectingGateway, LINK, RENEWED, repeating, TOKEN } from "./connecting-gateway.ts";

const it = connectingGateway();
const URL_MODE = { elicitation: { url: {} } };
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const GET_NOTE = { name: "getNote", arguments: { noteId: "1" } };
const NOTE = { noteId: "1", title: "A note" };
const CREATE = { name: "createNote", arguments: { title: "t" } };

let started: ReturnType<typeof it.begin>;
let token: string;
beforeEach(async () => {
  started = it.begin();
  token = (await it.token()).text;
  it.upstreams.carried.length = 0;
  it.upstreams.api = () => Response.json(NOTE);
});

const post = (body: unknown, headers: Record<string, string> = {}, bearer = token, signal?: AbortSignal) =>
  started.send(
    {
      method: "POST",
      headers: {
        authorization: `Bearer ${bearer}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify(body),
    },
    signal,
  );

/** A request of 2026-07-28. */
async function ask(
  method: string,
  params: object = {},
  capabilities: object = URL_MODE,
  bearer = token,
): Promise<Answer> {
  const given = { ...params, _meta: { [CAPABILITIES]: capabilities } };
  const response = await post(modern(method, given), modernHeaders(method, given), bearer);
  return (await answerTo(response)) as unknown as Answer;
}

/** A session of an agent, and its requests. */
async function session(capabilities: object = URL_MODE, protocolVersion = "2025-11-25") {
  const clientInfo = { name: "agent", version: "1" };
  const response = await post(request("initialize", { protocolVersion, capabilities, clientInfo }));
  await response.clone().text();
  const headers = { "Mcp-Session-Id": response.headers.get("mcp-session-id") ?? "" };
  const call = async (params: object, method = "tools/call"): Promise<Answer> =>
    (await answerTo(await post(request(method, params), headers))) as unknown as Answer;
  const listen = async () => {
    const authorization = `Bearer ${token}`;
    return readEvents(await started.send({ headers: { accept: "text/event-stream", authorization, ...headers } }));
  };
  return { call, listen };
}

const records = async () => {
  const { stores } = it.dependencies();
  const organization = await stores.directory.firstOrganization();
  const filter = { organizationId: organization?.organizationId, type: "tool.invoked" } as const;
  return (await stores.auditLog.query(filter, { limit: 20 })).items;
};

describe("a call with a connection", () => {
  test("carries the person's own token, and neither answer, log nor record shows it", async () => {
    started.connections.connect("notes:read");
    it.upstreams.api = (called) => Response.json({ ...NOTE, text: called.headers.get("authorization") });
    const answer = await ask("tools/call", GET_NOTE);
    expect(it.upstreams.carried).toEqual([`Bearer ${TOKEN}`]);
    expect(answer.result.isError).toBeUndefined();
    expect(JSON.stringify(answer)).toContain("[redacted]");
    for (const told of [answer, it.logs(), await records()]) expect(JSON.stringify(told)).not.toContain(TOKEN);
  });

  test("asks for the scopes of every connection and those of its tool", async () => {
    started.connections.connect("notes:read");
    const answer = await ask("tools/call", CREATE, {});
    expect(answer.result.content[0]?.text).toContain("lacks the scopes notes:write.");
    expect(started.connections.asked[0]?.want).toMatchObject({
      person: "user_a-person",
      app: "notes",
      agent: "an-agent",
      scopes: ["notes:read", "notes:write"],
    });
    expect(it.upstreams.carried).toEqual([]);
  });

  test("is made once more after a 401, with a token that is refreshed once", async () => {
    started.connections.connect("notes:read");
    it.upstreams.api = (called) =>
      called.headers.get("authorization") === `Bearer ${RENEWED}`
        ? Response.json(NOTE)
        : new Response(null, { status: 401 });
    const answer = await ask("tools/call", GET_NOTE);
    expect(answer.result.isError).toBeUndefined();
    expect(it.upstreams.carried).toEqual([`Bearer ${TOKEN}`, `Bearer ${RENEWED}`]);
    it.upstreams.api = () => new Response(null, { status: 401 });
    expect((await ask("tools/call", GET_NOTE)).result.isError).toBe(true);
    expect(it.upstreams.carried).toHaveLength(4);
  });

  test("that the provider takes no more is told as none, after the 401", async () => {
    started.connections.connect("notes:read");
    started.connections.lose();
    it.upstreams.api = () => new Response(null, { status: 401 });
    const answer = await ask("tools/call", GET_NOTE);
    expect(answer.result.inputRequests.connect.params.message).toContain("again");
    expect((await records())[0]).toMatchObject({ outcome: "denied", reason: "not_connected" });
  });
});

describe("an upstream that wants more scopes", () => {
  const insufficient = (scope: string) =>
    new Response("{}", {
      status: 403,
      headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
    });

  test("is as no connection: granted and missing are asked for, and the repetition waits for them", async () => {
    started.connections.connect("notes:read");
    it.upstreams.api = () => insufficient("notes:read admin:notes");
    const { result } = await ask("tools/call", GET_NOTE);
    expect(started.connections.asked[0]?.want.scopes).toEqual(["notes:read", "admin:notes"]);
    const before = it.upstreams.carried.length;
    const again = ask("tools/call", { ...GET_NOTE, ...repeating(result) });
    await vi.waitFor(() => expect(started.connections.waiting()).toBe(1));
    expect(it.upstreams.carried).toHaveLength(before);
    it.upstreams.api = () => Response.json(NOTE);
    started.connections.connect("notes:read", "admin:notes");
    expect((await again).result.isError).toBeUndefined();
  });

  test.each([
    ["a scope that it has already", "notes:read"],
    ["no scope", ""],
    ["what is no scope", "é \\"],
  ])("but names %s is an answer as any other", async (_, scope) => {
    started.connections.connect("notes:read");
    it.upstreams.api = () => insufficient(scope);
    const { result } = await ask("tools/call", GET_NOTE);
    expect(result).toMatchObject({ isError: true });
    expect(started.connections.asked).toEqual([]);
  });
});

describe("an agent of 2026-07-28", () => {
  test("is asked by URL elicitation, without an id of its own, and with a sealed state", async () => {
    const { result } = await ask("tools/call", GET_NOTE);
    expect(result.resultType).toBe("input_required");
    expect(result.inputRequests).toEqual({
      connect: {
        method: "elicitation/create",
        params: { mode: "url", url: `${LINK}request-1`, message: expect.stringContaining('"github"') },
      },
    });
    expect(result.requestState).toEqual(expect.any(String));
    expect(result.requestState).not.toContain("request-1");
    expect((await records())[0]).toMatchObject({
      outcome: "denied",
      reason: "not_connected",
      details: { connector: "github", why: "none", missing: "notes:read" },
    });
  });

  test("that repeats the call waits for the person, and then the call is made", async () => {
    const { result } = await ask("tools/call", GET_NOTE);
    const again = ask("tools/call", { ...GET_NOTE, ...repeating(result) });
    await vi.waitFor(() => expect(started.connections.waiting()).toBe(1));
    started.connections.connect("notes:read");
    expect((await again).result).toMatchObject({ resultType: "complete" });
    expect(it.upstreams.carried).toEqual([`Bearer ${TOKEN}`]);
    expect((await records()).map(({ outcome }) => outcome).sort()).toEqual(["denied", "success"]);
  });

  test("is asked again where the person takes longer, and where it does not say what they did", async () => {
    const { result } = await ask("tools/call", GET_NOTE);
    const again = ask("tools/call", { ...GET_NOTE, ...repeating(result) });
    await vi.waitFor(() => expect(started.connections.waiting()).toBe(1));
    started.connections.giveUp();
    const asked = (await again).result;
    expect(asked.resultType).toBe("input_required");
    const silent = await ask("tools/call", { ...GET_NOTE, requestState: asked.requestState, inputResponses: {} });
    expect(silent.result.resultType).toBe("input_required");
    expect(started.connections.waiting()).toBe(0);
  });

  test.each(["decline", "cancel"])("whose person answers %s is told so, and nobody is asked again", async (action) => {
    const { result } = await ask("tools/call", GET_NOTE);
    const answer = await ask("tools/call", { ...GET_NOTE, ...repeating(result, action) });
    expect(answer.result).toMatchObject({ resultType: "complete", isError: true });
    expect(started.connections.asked).toHaveLength(1);
  });

  test("that connected meanwhile by another way gets its result, whatever its person answered", async () => {
    const { result } = await ask("tools/call", GET_NOTE);
    started.connections.connect("notes:read");
    const answer = await ask("tools/call", { ...GET_NOTE, ...repeating(result, "decline") });
    expect(answer.result.isError).toBeUndefined();
  });

  test("that leaves ends the waiting", async () => {
    const { result } = await ask("tools/call", GET_NOTE);
    const leaving = new AbortController();
    const given = { ...GET_NOTE, ...repeating(result), _meta: { [CAPABILITIES]: URL_MODE } };
    const left = post(modern("tools/call", given), modernHeaders("tools/call", given), token, leaving.signal);
    await vi.waitFor(() => expect(started.connections.waiting()).toBe(1));
    leaving.abort();
    await left.then((response) => response.text()).catch(() => undefined);
    expect(it.upstreams.carried).toEqual([]);
  });

  /** Attacks: a state that is not of this request. */
  test.each<[string, (state: string) => Promise<Answer>]>([
    ["altered", (state) => ask("tools/call", { ...GET_NOTE, ...repeating({ requestState: altered(state) }) })],
    ["made up", () => ask("tools/call", { ...GET_NOTE, ...repeating({ requestState: "connect" }) })],
    [
      "of other arguments",
      (state) => ask("tools/call", { ...GET_NOTE, arguments: { noteId: "2" }, ...repeating({ requestState: state }) }),
    ],
    ["of another tool", (state) => ask("tools/call", { name: "listNotes", ...repeating({ requestState: state }) })],
    [
      "of another person",
      async (state) => {
        const { text } = await it.token({ subject: "user_another" });
        return ask("tools/call", { ...GET_NOTE, ...repeating({ requestState: state }) }, URL_MODE, text);
      },
    ],
    [
      "of another agent",
      async (state) => {
        const { text } = await it.token({ clientId: "another-agent" });
        return ask("tools/call", { ...GET_NOTE, ...repeating({ requestState: state }) }, URL_MODE, text);
      },
    ],
  ])("69. with a state that is %s is refused, connected or not", async (_, repeat) => {
    const { result } = await ask("tools/call", GET_NOTE);
    expect((await repeat(result.requestState)).error).toMatchObject({ code: -32602 });
    started.connections.connect("notes:read");
    expect((await repeat(result.requestState)).error).toMatchObject({ code: -32602 });
    expect(it.upstreams.carried).toEqual([]);
  });

  test("with a state that is too old is refused", async () => {
    const { result } = await ask("tools/call", GET_NOTE);
    it.later(10 * 60_000);
    const { text } = await it.token();
    const answer = await ask("tools/call", { ...GET_NOTE, ...repeating(result) }, URL_MODE, text);
    expect(answer.error).toMatchObject({ code: -32602 });
  });
});

function altered(state: string): string {
  const last = state.at(10) === "A" ? "B" : "A";
  return `${state.slice(0, 10)}${last}${state.slice(11)}`;
}

describe("an agent of 2025-11-25", () => {
  test("with URL mode gets the error that names the elicitation", async () => {
    const { call } = await session();
    const { error } = await call(GET_NOTE);
    expect(error.code).toBe(-32042);
    expect(error.data).toEqual({
      elicitations: [
        {
          mode: "url",
          elicitationId: "request-1",
          url: `${LINK}request-1`,
          message: expect.stringContaining('"github"'),
        },
      ],
    });
    expect(started.connections.asked[0]?.session).toEqual({ sessionHash: expect.any(String), isElicited: true });
    expect(it.logs().filter((line) => line.includes("did not introduce itself"))).toEqual([]);
    started.connections.connect("notes:read");
    expect((await call(GET_NOTE)).result.isError).toBeUndefined();
  });
});

describe("any other agent gets a result with the link, calls again, and goes on", () => {
  test.each<[string, object, string]>([
    ["no elicitation", {}, "2025-11-25"],
    ["forms alone, by an empty object", { elicitation: {} }, "2025-11-25"],
    ["forms alone, by name", { elicitation: { form: {} } }, "2025-11-25"],
    ["URL mode in a revision that has none", URL_MODE, "2025-06-18"],
  ])("in a session: %s", async (_, capabilities, revision) => {
    const { call } = await session(capabilities, revision);
    const { result } = await call(GET_NOTE);
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toContain(`${LINK}request-1`);
    expect(started.connections.asked[0]?.session?.isElicited).toBe(false);
    started.connections.connect("notes:read");
    expect((await call(GET_NOTE)).result.isError).toBeUndefined();
  });

  test.each<[string, object]>([
    ["nothing", {}],
    ["forms alone", { elicitation: {} }],
  ])("without one, declaring %s", async (_, capabilities) => {
    const { result } = await ask("tools/call", GET_NOTE, capabilities);
    expect(result).toMatchObject({ resultType: "complete", isError: true });
    expect(result.content[0]?.text).toContain(`${LINK}request-1`);
  });
});

test("whoever asks too often gets no further link", async () => {
  for (const _ of [1, 2, 3]) await ask("tools/call", GET_NOTE);
  const { result } = await ask("tools/call", GET_NOTE);
  expect(result.isError).toBe(true);
  expect(result.content[0]?.text).not.toContain(LINK);
});

test("an agent that acts for itself is denied, for nobody could connect", async () => {
  const { text } = await it.token({ subject: "an-agent" });
  const { result } = await ask("tools/call", GET_NOTE, URL_MODE, text);
  expect(result).toMatchObject({ resultType: "complete", isError: true });
  expect((await records())[0]).toMatchObject({ outcome: "denied", reason: "no_person" });
  expect(started.connections.asked).toEqual([]);
});

test("69. the agent's own token is never refused for it", async () => {
  const given = { ...GET_NOTE, _meta: { [CAPABILITIES]: {} } };
  const response = await post(modern("tools/call", given), modernHeaders("tools/call", given));
  expect(response.status).toBe(200);
  expect(response.headers.get("www-authenticate")).toBeNull();
  await messagesOf(response);
});
