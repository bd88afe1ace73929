import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { ISSUER } from "../../support/in-process.ts";
import { mcpServer, toolOf } from "./mcp-server.ts";
import { type ProxyingGateway, proxyingGateway } from "./proxying-gateway.ts";

const properties = {
  region: { type: "string", "x-mcp-header": "Region" },
  number: { type: "integer", "x-mcp-header": "Number" },
};
const server = mcpServer([toolOf("query", { inputSchema: { type: "object", properties } })]);

let it: ProxyingGateway;
beforeAll(async () => {
  it = await proxyingGateway({ servers: { ledger: server }, catalog: { search: "auto", threshold: 150 } });
});
afterAll(() => it.close());

describe("26. a call of an MCP server's tool that wants arguments in headers", () => {
  const call = async (given: JsonObject, headers: Readonly<Record<string, string>>) => {
    const response = await it.send("tools/call", { name: "ledger_query", arguments: given }, headers);
    const { error } = (await response.json()) as { error?: { code: number } };
    return [response.status, error?.code];
  };

  test.each([
    ["is missing", {}],
    ["says another", { "mcp-param-region": "uk" }],
    ["is no base64", { "mcp-param-region": "=?base64?b25?=" }],
  ])("26. is refused with 400 and -32020 where a header %s, and nothing is called", async (_, headers) => {
    const before = server.calls.length;
    expect(await call({ region: "us" }, headers)).toEqual([400, -32020]);
    expect(server.calls).toHaveLength(before);
  });

  test("26. is made where they say the same, with headers that are made of the body", async () => {
    const headers = { "mcp-param-region": "=?base64?dcO2?=", "mcp-param-number": "7.0", "mcp-param-other": "x" };
    expect(await call({ region: "uö", number: 7 }, headers)).toEqual([200, undefined]);
    const sent = server.calls.at(-1)?.headers;
    expect(sent?.get("mcp-param-region")).toBe("=?base64?dcO2?=");
    expect(sent?.get("mcp-param-number")).toBe("7");
    expect(sent?.has("mcp-param-other")).toBe(false);
  });

  test("26. by way of call_tool needs none, and the server gets them", async () => {
    const wrapped = { name: "ledger_query", arguments: { region: "us" } };
    expect(await it.called("call_tool", wrapped)).toBe("called query");
    expect(server.calls.at(-1)?.headers.get("mcp-param-region")).toBe("us");
  });

  test("26. of an agent with a session needs none, and the server gets them, large numbers as they were written", async () => {
    const params = { name: "ledger_query", arguments: { number: "NUMBER" } };
    const text = JSON.stringify(params).replace('"NUMBER"', "12345678901234567890");
    await it.inSession("tools/call", text);
    expect(server.calls.at(-1)?.headers.get("mcp-param-number")).toBe("12345678901234567890");
  });
});

describe("a browser's preflight", () => {
  const allowed = async (asked: string, at: ProxyingGateway = it) => {
    const headers = {
      origin: ISSUER,
      "access-control-request-method": "POST",
      "access-control-request-headers": asked,
    };
    const response = await at.preflight(headers);
    return (response.headers.get("access-control-allow-headers") ?? "").split(", ");
  };

  test("is allowed the headers of arguments that it asks for, and no others", async () => {
    const names = await allowed("authorization,mcp-param-region, Mcp-Param-Number ,x-other,mcp-param-a b,cookie");
    expect(names).toEqual(
      expect.arrayContaining(["Authorization", "Mcp-Name", "mcp-param-region", "mcp-param-number"]),
    );
    expect(names.filter((name) => /other|cookie| /i.test(name))).toEqual([]);
    expect((await allowed(Array.from({ length: 500 }, (_, at) => `mcp-param-${at}`).join(","))).length).toBeLessThan(
      120,
    );
  });

  test("is allowed none that no tool has where there is no MCP server", async () => {
    const without = await proxyingGateway({ servers: {} });
    expect(await allowed("mcp-param-region", without)).not.toContain("mcp-param-region");
    await without.close();
  });
});
