import type { JsonObject } from "../../../lib/kernel/json.ts";

/** An MCP server of the generation without a handshake, behind a `fetch` of its own: nothing is sent. */
export interface McpServer {
  readonly fetch: typeof globalThis.fetch;
  /** Calls that arrived, with what came along. */
  readonly calls: readonly ReceivedCall[];
  /** Methods of all requests, in order. */
  readonly methods: readonly string[];
  /** From now on it lists these. */
  lists(tools: readonly JsonObject[]): void;
}

export interface ReceivedCall {
  readonly headers: Headers;
  readonly params: JsonObject;
}

/** @param perPage tools on a page */
export function mcpServer(first: readonly JsonObject[], perPage = 1_000): McpServer {
  let tools = first;
  const calls: ReceivedCall[] = [];
  const methods: string[] = [];

  function resultOf(method: string, params: JsonObject, headers: Headers): JsonObject | undefined {
    if (method === "server/discover") return { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
    if (method === "tools/list") return page(tools, Number(params.cursor ?? 0), perPage);
    if (method !== "tools/call") return undefined;
    calls.push({ headers, params });
    return { content: [{ type: "text", text: `called ${String(params.name)}` }] };
  }

  return {
    calls,
    methods,
    lists: (others) => {
      tools = others;
    },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { id, method, params } = (await request.json()) as { id: unknown; method: string; params: JsonObject };
      methods.push(method);
      const result = resultOf(method, params, request.headers);
      if (result === undefined) {
        const error = { code: -32_601, message: "Method not found" };
        return Response.json({ jsonrpc: "2.0", id, error }, { status: 404 });
      }
      return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } });
    },
  };
}

function page(tools: readonly JsonObject[], from: number, count: number): JsonObject {
  const next = from + count;
  return { tools: tools.slice(from, next), ...(next < tools.length && { nextCursor: String(next) }) };
}

/** A tool without arguments that are needed. */
export function toolOf(name: string, more: JsonObject = {}): JsonObject {
  return { name, inputSchema: { type: "object", properties: {} }, ...more };
}

/** Tools about different things, as a large server has them. */
export function manyTools(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, at) => {
    const [verb = "", what = ""] = [VERBS[at % VERBS.length], THINGS[Math.floor(at / VERBS.length) % THINGS.length]];
    return toolOf(`${verb}_${what}_${at}`, { description: `${verb}s a ${what} by its number ${at}.` });
  });
}

const VERBS = ["create", "get", "update", "archive"];
const THINGS = ["invoice", "shipment", "warehouse", "customer", "ticket", "payment", "route", "price"];
