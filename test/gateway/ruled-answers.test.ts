import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { McpBridgeAppConfiguration, ToolRulesConfiguration } from "../../lib/config/app-configuration.ts";
import type { JsonObject } from "../../lib/kernel/json.ts";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { metaOf } from "../../lib/protocol/mcp/message.ts";
import { messagesOf } from "../behaviour/mcp/events.ts";
import { type McpServer, mcpServer, toolOf } from "../proxy/tools/mcp-server.ts";
import { type ProxyingGateway, proxyingGateway } from "../proxy/tools/proxying-gateway.ts";
import { CARD, IBAN } from "./schemas-with-answers.ts";

const MASK = { mask: [{ match: "[0-9]{16}", with: "****" }] };
const RULES: readonly ToolRulesConfiguration[] = [
  { tools: ["getAccount", "getText", "getError", "getList"], result: { remove: ["/iban"], ...MASK } },
  { tools: ["misfit"], result: { remove: ["/ibna"] } },
  { tools: ["/.*/"], result: MASK },
];
const MASKED_ONLY: readonly ToolRulesConfiguration[] = [{ tools: ["/.*/"], result: MASK }];

const SCHEMA = {
  type: "object",
  properties: {
    iban: { type: "string" },
    card: { type: "string", pattern: "^[0-9]{16}$" },
    number: { type: "integer" },
  },
  required: ["iban", "card"],
};
const ACCOUNT = { iban: IBAN, card: CARD, number: Number(CARD) };
const SHOWN = { card: "****", number: "****" };
const MEBI = 1024 * 1024;

/** What a tool answers: as JSON, as a text, or with an error. */
const ANSWERS: Readonly<Record<string, { readonly json?: unknown; readonly text?: string; readonly status?: number }>> =
  {
    getAccount: { json: ACCOUNT },
    misfit: { json: ACCOUNT },
    getCard: { json: ACCOUNT },
    getText: { text: `the account ${IBAN}` },
    getNote: { text: `pays with ${CARD}` },
    getError: { status: 404, text: `no account ${IBAN}` },
    getFailure: { status: 404, text: `no card ${CARD}` },
    getList: { json: [ACCOUNT] },
    getLong: { json: { card: CARD, long: "x".repeat(4 * MEBI) } },
  };

function resultOf({ json, text = JSON.stringify(json), status }: (typeof ANSWERS)[string]): JsonObject {
  const isObject = json !== undefined && !Array.isArray(json);
  return {
    content: [{ type: "text", text }],
    ...(isObject && { structuredContent: json }),
    ...(status !== undefined && { isError: true }),
  };
}

const TOLD = [
  { method: "notifications/message", params: { level: "info", data: { card: CARD, iban: IBAN } } },
  { method: "notifications/progress", params: { progressToken: "mine", progress: 1, message: `reading ${CARD}` } },
];

/** An MCP server that tells on a stream what it does. */
function talkingServer(names: readonly string[]): McpServer {
  const tools = names.map((name) =>
    toolOf(name, name === "getAccount" || name === "misfit" ? { outputSchema: SCHEMA } : {}),
  );
  const server = mcpServer(tools);
  return {
    ...server,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { id, method, params } = (await request.clone().json()) as {
        id: unknown;
        method: string;
        params: JsonObject;
      };
      if (method === "tasks/get") {
        const result = {
          resultType: "complete",
          taskId: "t",
          status: "completed",
          result: resultOf({ json: ACCOUNT }),
        };
        return Response.json({ jsonrpc: "2.0", id, result });
      }
      if (method !== "tools/call") return server.fetch(request);
      if (params.name === "refused")
        return Response.json({
          jsonrpc: "2.0",
          id,
          error: { code: -32_602, message: `no ${CARD}`, data: { card: CARD } },
        });
      const result = { resultType: "complete", ...resultOf(ANSWERS[String(params.name)] ?? {}) };
      const isHeard = metaOf(params).progressToken !== undefined;
      const events = [
        ...(isHeard ? TOLD : []).map((told) => ({ jsonrpc: "2.0", ...told })),
        { jsonrpc: "2.0", id, result },
      ];
      const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
      return new Response(text, { headers: { "content-type": "text/event-stream" } });
    },
  };
}

async function startBank() {
  const names = Object.keys(ANSWERS);
  const servers = { ledger: talkingServer([...names, "refused"]), masked: talkingServer(["getAccount"]) };
  const answered = { description: "It.", content: { "application/json": { schema: SCHEMA } } };
  const paths = Object.fromEntries(
    names
      .filter((name) => name !== "misfit")
      .map((name) => {
        const isDescribed = name === "getAccount";
        return [
          `/${name}`,
          { get: { operationId: name, responses: { 200: isDescribed ? answered : { description: "It." } } } },
        ];
      }),
  );
  const document = { openapi: "3.1.0", info: { title: "Bank", version: "1" }, paths };
  const result = await compileCatalog(JSON.stringify(document), { app: "api", namespace: { disabled: false } });
  if ("errors" in result) throw new Error(JSON.stringify(result.errors));
  const api: McpBridgeAppConfiguration = {
    ...{ type: "mcpBridge", name: "api", baseURL: "https://api.example", timeout: 5_000, tls: "api", rules: RULES },
    ...{ catalog: result.catalog, inboundTools: [], stepUp: [], outbound: { type: "unprotected" } },
  };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.host === "ledger.example") return servers.ledger.fetch(input, init);
    if (url.host === "masked.example") return servers.masked.fetch(input, init);
    const { json, text = JSON.stringify(json), status = 200 } = ANSWERS[url.pathname.slice(1)] ?? {};
    return new Response(text, {
      status,
      headers: { "content-type": json === undefined ? "text/plain" : "application/json" },
    });
  };
  return proxyingGateway({
    ...{ servers, apps: [api], more: (name) => ({ rules: name === "masked" ? MASKED_ONLY : RULES }) },
    adapt: (dependencies) => ({ ...dependencies, fetch, outbound: () => fetch }),
  });
}

describe("73. answers of tools with rules", () => {
  let it: ProxyingGateway;
  beforeAll(async () => {
    it = await startBank();
  });
  afterAll(() => it.close());

  const newest = async (tool: string) => {
    await it.settled();
    const { auditLog, directory } = it.dependencies.stores;
    const organizationId = (await directory.firstOrganization())?.organizationId ?? expect.fail();
    const { items } = await auditLog.query({ organizationId, type: "tool.invoked" }, { limit: 50 });
    return items.find((record) => record.tool === tool);
  };
  const ask = {
    stateless: (name: string) => it.answer("tools/call", { name, arguments: {} }),
    session: (name: string) => it.inSession("tools/call", { name, arguments: {} }),
  };

  describe.each(["ledger", "api"] as const)("of the app %s", (app) => {
    test.each(["stateless", "session"] as const)(
      "73. come to a %s agent as the shown schema says",
      async (generation) => {
        const { result } = await ask[generation](`${app}_getAccount`);
        const { content, structuredContent } = result as unknown as JsonObject;
        expect(structuredContent).toEqual(SHOWN);
        expect(JSON.parse((content as readonly { readonly text: string }[])[0]?.text ?? "")).toEqual(SHOWN);
        expect(JSON.stringify(result)).not.toMatch(/[0-9]{16}|iban/);
        const { tools } = (await it.answer("tools/list")).result as unknown as {
          readonly tools: readonly { readonly name: string; readonly outputSchema: JsonObject }[];
        };
        const shown = tools.find(({ name }) => name === `${app}_getAccount`)?.outputSchema;
        expect(Object.keys(shown?.properties ?? {})).toEqual(["card", "number"]);
        expect(JSON.stringify(shown)).not.toMatch(/iban|pattern/);
        expect(tools.some(({ name }) => name.endsWith("misfit"))).toBe(false);
      },
    );

    test.each([
      ["getText", "not_json"],
      ["getError", "error"],
      ["getList", "list"],
      ["getLong", "too_large"],
    ])("73. %s is withheld, and the record says so", async (tool, withheld) => {
      const why = app === "ledger" && tool === "getError" ? "not_json" : withheld;
      const { result } = await ask.stateless(`${app}_${tool}`);
      expect(result).toMatchObject({ isError: true });
      const text = JSON.stringify(result);
      expect(text).toContain("The call was made, and its result is withheld");
      expect(text).not.toMatch(/NL91|[0-9]{16}/);
      expect(text.length).toBeLessThan(1_000);
      const record = await newest(`${app}_${tool}`);
      expect(record).toMatchObject({ reason: "result_withheld", details: { withheld: why } });
      expect(record?.outcome).not.toBe("denied");
    });

    test.each([
      ["getNote", "pays with ****"],
      ["getFailure", "no card ****"],
    ])("73. %s is masked", async (tool, text) => {
      expect(await it.called(`${app}_${tool}`)).toContain(text);
    });
  });

  test("73. an error of an MCP server is masked, or withheld where something is removed", async () => {
    expect((await ask.stateless("ledger_refused")).error).toMatchObject({ message: "no ****", data: { card: "****" } });
  });

  test("73. what an MCP server says meanwhile is masked; log messages are kept back where something is removed", async () => {
    const call = async (name: string) => {
      const _meta = { progressToken: "mine", "io.modelcontextprotocol/logLevel": "debug" };
      return messagesOf(await it.send("tools/call", { name, arguments: {}, _meta }));
    };
    const masked = await call("masked_getAccount");
    expect(masked.map(({ params }) => params)).toEqual([
      { level: "info", data: { card: "****", iban: IBAN } },
      { progressToken: "mine", progress: 1, message: "reading ****" },
      undefined,
    ]);
    const kept = await call("ledger_getAccount");
    expect(kept.map(({ params }) => params)).toEqual([{ progressToken: "mine", progress: 1 }, undefined]);
  });

  test("73. a task has what all rules of the app leave of its result", async () => {
    const sent = await it.send("tasks/get", { taskId: "ledger+t" }, { "mcp-name": "ledger+t" });
    const { result } = (await messagesOf(sent)).at(-1) ?? {};
    expect(result).toMatchObject({ result: { structuredContent: SHOWN } });
    expect(JSON.stringify(result)).not.toMatch(/NL91|[0-9]{16}/);
  });

  test("73. nothing of it is in the log", () => {
    expect(it.logs.join("\n")).not.toMatch(new RegExp(`${CARD}|${IBAN}`));
  });
});

describe("73. with search", () => {
  test("73. answers of call_tool are those that rules leave", async () => {
    const servers = { ledger: talkingServer(["getAccount"]) };
    const it = await proxyingGateway({ servers, more: { rules: RULES }, catalog: { search: "on", threshold: 1 } });
    const text = JSON.stringify(
      await it.answer("tools/call", { name: "call_tool", arguments: { name: "ledger_getAccount" } }),
    );
    expect(text).toContain("****");
    expect(text).not.toMatch(/NL91|[0-9]{16}/);
    await it.close();
  });
});
