import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type EventReader, type Message, messagesOf, readEvents } from "../behaviour/mcp/events.ts";
import { META } from "../behaviour/mcp/stateless-fixture.ts";
import { HEADER, type OpenGateway, openGateway } from "../mcp/open-gateway.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";

const METHODS = [
  ..."initialize ping tools/list tools/call logging/setLevel server/discover subscriptions/listen".split(" "),
  ..."notifications/initialized notifications/cancelled resources/read __proto__ constructor toString".split(" "),
  "",
];
const RUNS = 300;
const ID = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(0, -1, "", "1", "0", "-0", "1e3", "\ud800", "__proto__", Number.MAX_SAFE_INTEGER),
  fc.string({ unit: "binary" }),
);
const ODD_KEYS = fc.dictionary(fc.constantFrom("__proto__", "constructor", "name", "_meta", "x"), fc.jsonValue());
const meta = fc.oneof(
  fc.constant(META),
  fc.jsonValue(),
  fc.record(
    {
      "io.modelcontextprotocol/protocolVersion": fc.oneof(fc.constantFrom("2026-07-28", "2025-11-25"), fc.jsonValue()),
      "io.modelcontextprotocol/clientInfo": fc.jsonValue(),
      "io.modelcontextprotocol/clientCapabilities": fc.oneof(fc.constant({}), fc.jsonValue()),
      "io.modelcontextprotocol/logLevel": fc.oneof(fc.constant("debug"), fc.jsonValue()),
      progressToken: fc.oneof(ID, fc.jsonValue()),
      traceparent: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
);
const params = fc.oneof(
  fc.jsonValue(),
  ODD_KEYS,
  fc.record(
    {
      name: fc.oneof(fc.constantFrom("getNote", "listTags", "__proto__", "constructor"), fc.jsonValue()),
      arguments: fc.oneof(fc.constant({}), fc.constant({ noteId: "1" }), ODD_KEYS, fc.jsonValue()),
      level: fc.oneof(fc.constant("info"), fc.jsonValue()),
      protocolVersion: fc.oneof(fc.constant("2025-06-18"), fc.jsonValue()),
      capabilities: fc.oneof(fc.constant({}), fc.jsonValue()),
      clientInfo: fc.oneof(fc.constant({ name: "c", version: "1" }), fc.jsonValue()),
      requestId: fc.oneof(ID, fc.jsonValue()),
      notifications: fc.jsonValue(),
      cursor: fc.jsonValue(),
      _meta: meta,
    },
    { requiredKeys: [] },
  ),
);
const method = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...METHODS) }, { weight: 1, arbitrary: fc.string() });
const wellFormed = fc.record(
  { jsonrpc: fc.constant("2.0"), id: ID, method, params: fc.oneof(fc.constant({}), params) },
  { requiredKeys: ["jsonrpc", "method"] },
);
const message = fc.oneof(
  { weight: 5, arbitrary: wellFormed },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        jsonrpc: fc.oneof(fc.constant("2.0"), fc.jsonValue()),
        id: fc.oneof(ID, fc.jsonValue()),
        method: fc.oneof(method, fc.jsonValue()),
        params,
        result: fc.jsonValue(),
        error: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  },
);
const body = fc.oneof(
  { weight: 7, arbitrary: message.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: fc.array(message, { maxLength: 25 }).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
);
const headers = fc.record(
  {
    accept: fc.constantFrom("application/json", "text/event-stream", "*/*", "text/html", "", ";;,,", "*/*;q=0"),
    "content-type": fc.constantFrom("application/json", "APPLICATION/JSON; charset=utf-8", "text/plain", ""),
    "mcp-protocol-version": fc.constantFrom("2025-03-26", "2025-11-25", "2026-07-28", "2026-07-28, 2026-07-28", "é"),
    "mcp-method": fc.constantFrom("tools/call", "ping", "=?base64?//8=?=", "=?base64?cGluZw==?=", "ÿ"),
    "mcp-name": fc.constantFrom("getNote", "=?base64?Z2V0Tm90ZQ==?=", "=?base64?!!?=", ""),
    "last-event-id": fc.constantFrom("1", "é"),
    [HEADER]: fc.constantFrom("x", "é", "a".repeat(43), ""),
  },
  { requiredKeys: [] },
);

let it: OpenGateway;
let upstream: Upstream;
let session: Readonly<Record<string, string>>;
beforeAll(async () => {
  upstream = await startUpstream();
  it = await openGateway({ upstreamURL: upstream.url });
});
/** Every run has room for another session. */
beforeEach(async () => {
  it.clock.set(it.clock.now() + 60_000);
  session = await it.open();
});
afterAll(async () => {
  await it.close();
  await upstream.stop();
});

describe("37. JSON-RPC envelopes with sessions", () => {
  test("37. no POST of the stream path yields a 5xx; what is answered is JSON-RPC with the very ids of the requests", async () => {
    await fc.assert(
      fc.asyncProperty(body, headers, fc.boolean(), async (text, given, isInSession) => {
        it.clock.set(it.clock.now() + 100);
        const sent = { "content-type": "application/json", accept: "*/*", ...given, ...(isInSession && session) };
        await expectAnswer(await it.send("/mcp", { method: "POST", headers: sent, body: text }), text);
      }),
      { numRuns: RUNS },
    );
  });

  test("37. no GET or DELETE yields a 5xx, whatever its headers are", async () => {
    await fc.assert(
      fc.asyncProperty(headers, fc.constantFrom("GET", "DELETE", "PUT"), async (given, verb) => {
        const response = await it.send("/mcp", { method: verb, headers: given });
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect(response.status).toBeLessThan(500);
        expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: expect.any(Number) } });
      }),
      { numRuns: 100 },
    );
  });

  test("37. no message of the legacy transport yields a 5xx, and the stream answers with the very ids", async () => {
    const events = readEvents(await it.send("/sse", { headers: { accept: "text/event-stream" } }));
    const path = (await events.next())?.data ?? expect.fail();
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        const init = { method: "POST", headers: { "content-type": "application/json" }, body: text };
        const response = await it.send(path, init);
        if (response.status !== 202) return expectAnswer(response, text);
        const id = requestId(JSON.parse(text));
        if (id !== undefined) expect(await nextAnswer(events)).toBe(id);
      }),
      { numRuns: RUNS },
    );
    await events.cancel();
  });
});

/** A listening stream has no end of its own. */
async function expectAnswer(response: Response, text: string): Promise<void> {
  expect(response.status).toBeLessThan(500);
  if (response.status === 202) return;
  if (response.headers.get("content-type")?.startsWith("text/event-stream") && text.includes("subscriptions/listen")) {
    return response.body?.cancel();
  }
  const answers = (await messagesOf(response)).filter((answer) => answer.method === undefined);
  if (response.status === 200) {
    expect(sorted(answers.map(({ id }) => id))).toEqual(sorted(requestIds(text)));
  } else {
    expect(answers).toEqual([expect.objectContaining({ jsonrpc: "2.0", error: expect.any(Object) })]);
    expect([null, ...identifiers(text)]).toContain(answers[0]?.id);
  }
  for (const answer of answers) expect((answer.result === undefined) !== (answer.error === undefined)).toBe(true);
}

async function nextAnswer(events: EventReader): Promise<unknown> {
  for (;;) {
    const told = await events.message();
    if (told === undefined) return expect.fail("the stream has ended");
    if (told.method === undefined) return told.id;
  }
}

/** Of each request in the body. */
function requestIds(text: string): readonly unknown[] {
  const parsed: unknown = JSON.parse(text);
  return (Array.isArray(parsed) ? parsed : [parsed]).map(requestId).filter((id) => id !== undefined);
}

function requestId(value: unknown): unknown {
  const { id, method: asked } = (value ?? {}) as { readonly id?: unknown; readonly method?: unknown };
  return typeof asked === "string" ? id : undefined;
}

/** What an error may be about: the only message of a body, whatever it is. */
function identifiers(text: string): readonly unknown[] {
  try {
    const parsed = JSON.parse(text) as Message | null | readonly (Message | null)[];
    const messages = Array.isArray(parsed) ? parsed : [parsed];
    return messages.length === 1 ? [messages[0]?.id] : [];
  } catch {
    return [];
  }
}

function sorted(ids: readonly unknown[]): readonly string[] {
  return ids.map((id) => JSON.stringify(id)).toSorted();
}
