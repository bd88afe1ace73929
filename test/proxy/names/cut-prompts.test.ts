import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { mcpServer } from "../tools/mcp-server.ts";
import { type ProxyingGateway, proxyingGateway } from "../tools/proxying-gateway.ts";

const NAME = "Month end, in short";
const got: unknown[] = [];

/** An MCP server with one prompt. */
const server = {
  ...mcpServer([]),
  fetch: async (input: Parameters<typeof fetch>[0], init?: RequestInit) => {
    const { id, method, params } = (await new Request(input, init).json()) as JsonObject & {
      readonly params: JsonObject;
    };
    if (method === "prompts/get") got.push(params.name);
    const results: Readonly<Record<string, JsonObject>> = {
      "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { prompts: {} } },
      "prompts/list": { prompts: [{ name: NAME }] },
      "prompts/get": { messages: [] },
    };
    return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...results[String(method)] } });
  },
};

let it: ProxyingGateway;
beforeAll(async () => {
  it = await proxyingGateway({ servers: { ledger: server } });
});
afterAll(() => it.close());

test("a prompt whose name was replaced is got by the name that agents see, and by no other", async () => {
  const { result } = await it.answer("prompts/list");
  const [name = ""] = (result as unknown as { prompts: { name: string }[] }).prompts.map((prompt) => prompt.name);
  expect(name).toMatch(/^ledger_Month_end[\w-]*$/);
  expect((await it.answer("prompts/get", { name })).result).toBeDefined();
  expect(got).toEqual([NAME]);
  for (const other of ["ledger_Month_end", NAME, "x".repeat(100)]) {
    expect((await it.answer("prompts/get", { name: other })).error?.message ?? "").toMatch(/no prompt|^$/);
  }
  expect(got).toEqual([NAME]);
});
