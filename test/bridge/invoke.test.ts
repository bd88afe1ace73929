import { createHook } from "node:async_hooks";
import { getEventListeners, once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Catalog } from "../../lib/openapi/catalog.ts";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { type BridgeTarget, invokeOperation } from "../../lib/openapi/invoke.ts";
import { createOpenTool } from "../../lib/openapi/open-tool.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";

let upstream: Upstream;
let catalog: Catalog;
const check = createSchemaCheck();

beforeAll(async () => {
  upstream = await startUpstream();
  const text = readFileSync(new URL("../support/upstream.openapi.yaml", import.meta.url), "utf8");
  const result = await compileCatalog(text, { app: "u", namespace: { disabled: true } });
  if ("errors" in result) throw new Error(JSON.stringify(result.errors));
  catalog = result.catalog;
});
afterAll(() => upstream.stop());

function call(
  name: string,
  given: unknown = {},
  options: Partial<Pick<BridgeTarget, "timeout" | "signal" | "baseURL" | "headers" | "fetch">> = {},
) {
  const tool = catalog.tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const defaults = { baseURL: upstream.url, timeout: 5_000, headers: {}, signal: new AbortController().signal };
  return invokeOperation(createOpenTool(catalog)(tool), given, {
    fetch: globalThis.fetch,
    ...defaults,
    ...options,
    check,
  });
}

function textOf({ result }: Awaited<ReturnType<typeof call>>): string {
  return result.content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
}

describe("answers of an API", () => {
  test("a JSON object is structured content and text", async () => {
    const invocation = await call("getNote", { noteId: "1" });
    const note = { noteId: "1", title: "First", text: "Hello.", tags: ["a"] };
    expect(invocation).toMatchObject({ outcome: "success", result: { structuredContent: note } });
    expect(JSON.parse(textOf(invocation))).toEqual(note);
    expect(invocation.result.isError).toBeUndefined();
  });

  test("a JSON array is text only: structured content is an object", async () => {
    const invocation = await call("listTags");
    expect(invocation).toMatchObject({
      outcome: "success",
      result: { content: [{ type: "text", text: '["a","b"]' }] },
    });
    expect(invocation.result.structuredContent).toBeUndefined();
  });

  test("text is text, nothing is said to be nothing, and an image is one", async () => {
    expect(textOf(await call("getNoteText", { noteId: "1" }))).toBe("Hello.");
    await call("createNote", { title: "Second" });
    expect(textOf(await call("deleteNote", { noteId: "2" }))).toMatch(/^HTTP 204/);
    const image = { type: "image", data: "iVBORw==", mimeType: "image/png" };
    expect((await call("image")).result).toEqual({ content: [image] });
  });

  test.each([
    ["getNote", { noteId: "nope" }, "tool_error", "http_404", /^HTTP 404 Not Found[\s\S]*no such note/],
    ["failure", {}, "upstream_error", "http_500", /^HTTP 500[\s\S]*on fire/],
    ["elsewhere", {}, "tool_error", "http_302", /^HTTP 302.*redirects are not followed/],
    ["page", {}, "upstream_error", "unexpected_response", /text\/html, not JSON[\s\S]*Please sign in/],
    ["shape", {}, "upstream_error", "unexpected_response", /not as documented/],
    ["large", {}, "upstream_error", "response_too_large", /longer than 4194304 bytes and was not read. Ask for less, /],
  ] as const)("29. %s %j is an error", async (name, given, outcome, reason, text) => {
    const invocation = await call(name, given);
    expect(invocation).toMatchObject({ outcome, reason, result: { isError: true } });
    expect(invocation.result.structuredContent).toBeUndefined();
    expect(textOf(invocation)).toMatch(text);
  });

  test("29. an API that cannot be reached, and one that does not answer in time, are errors", async () => {
    expect(await call("listTags", {}, { baseURL: "http://127.0.0.1:9" })).toMatchObject({
      outcome: "upstream_error",
      reason: "unreachable",
      result: { isError: true },
    });
    expect(await call("slow", {}, { timeout: 50 })).toMatchObject({
      outcome: "upstream_error",
      reason: "timeout",
      result: { isError: true },
    });
  });

  test.each([
    ["listTags", {}, ""],
    ["createNote", { title: "a" }, " Before you repeat the call, find out whether it took effect."],
  ])("a connection that is cut before any answer of %s may have brought the request", async (name, given, advice) => {
    const cutting = createServer(({ socket }) => void socket.destroy()).listen(0, "127.0.0.1");
    await once(cutting, "listening");
    const baseURL = `http://127.0.0.1:${(cutting.address() as AddressInfo).port}`;
    const invocation = await call(name, given, { baseURL });
    cutting.close();
    expect(invocation).toMatchObject({ outcome: "upstream_error", reason: "broken_off", cause: expect.any(String) });
    expect(textOf(invocation)).toBe(`The connection to the API broke off before an answer came.${advice}`);
  });

  test("what identifies the caller is sent with the request, and arguments do not replace it", async () => {
    const headers = { authorization: "Bearer for-the-api", "x-trace": "ours" };
    expect(await call("listNotes", { "X-Trace": "theirs" }, { headers })).toMatchObject({ outcome: "success" });
    expect(upstream.requests.at(-1)?.headers).toMatchObject(headers);
  });

  test("an agent that leaves cancels the request to the API", async () => {
    await expect.poll(() => upstream.waiting).toBe(0);
    const agent = new AbortController();
    const pending = call("slow", {}, { signal: agent.signal });
    await expect.poll(() => upstream.waiting).toBe(1);
    agent.abort();
    expect(await pending).toMatchObject({ outcome: "cancelled", result: { isError: true } });
    await expect.poll(() => upstream.waiting).toBe(0);
  });

  test("a call that is over leaves no timer behind, and nothing that listens for its agent to leave", async () => {
    const { signal } = new AbortController();
    const timers = new Set<number>();
    const begun = createHook({ init: (id, type) => void (type === "Timeout" && timers.add(id)) });
    const ended = createHook({ destroy: (id) => void timers.delete(id) }).enable();
    begun.enable();
    const calls = [
      call("listTags", {}, { signal, fetch: async () => Response.json(["a"]) }),
      call("listTags", {}, { signal, fetch: () => Promise.reject(new TypeError("fetch failed")) }),
    ];
    begun.disable();
    expect(timers.size).toBe(calls.length);
    await Promise.all(calls);
    // Node tells of what ended in a turn of its own.
    await turn();
    await turn();
    ended.disable();
    expect(timers.size).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("arguments are checked before anything is sent", () => {
  test.each([
    ["getNote", {}, /noteId/],
    ["getNote", { noteId: 5 }, /noteId: .*string/],
    ["getNote", { noteId: "1", extra: true }, /extra: is not accepted/],
    ["createNote", { title: "" }, /title: /],
    ["createNote", { title: "t", tags: ["a", 1] }, /tags\.1: /],
    ["createNote", { title: "t", noteId: "9" }, /noteId: is not accepted/],
    ["listNotes", { limit: 0 }, /limit: /],
    ["getNote", [], /object/],
  ])("%s %j is refused with the property's name", async (name, given, message) => {
    const before = upstream.requests.length;
    const invocation = await call(name, given);
    expect(invocation).toMatchObject({ outcome: "tool_error", reason: "invalid_arguments", result: { isError: true } });
    expect(textOf(invocation)).toMatch(message);
    expect(upstream.requests).toHaveLength(before);
  });
});
