import { describe, expect, test } from "vitest";
import type { Headers } from "../gateway-fixture.ts";
import { answerTo } from "./events.ts";
import type { McpUnderTest } from "./fixture.ts";
import { post } from "./session.ts";
import { modern, modernHeaders } from "./stateless-fixture.ts";

/** Headers that repeat what the body says (MCP 2026-07-28, Transports, Standard Request Headers). */
export function statelessHeaders(it: () => McpUnderTest): void {
  describe("the stateless generation", () => {
    const send = (body: unknown, headers: Headers) => post(it().us, body, { ...it().agent.stream, ...headers });
    const call = { name: "upstream_listTags", arguments: {} };
    const CALL = modernHeaders("tools/call", call);
    test.each<readonly [string, Readonly<Record<string, string | undefined>>]>([
      ["another version", { "mcp-protocol-version": "2025-11-25" }],
      ["an unknown version", { "mcp-protocol-version": "2099-01-01" }],
      ["no version", { "mcp-protocol-version": undefined }],
      ["another method", { "mcp-method": "tools/list" }],
      ["the method in capitals", { "mcp-method": "TOOLS/CALL" }],
      ["no method", { "mcp-method": undefined }],
      ["another name", { "mcp-name": "upstream_getNote" }],
      ["no name", { "mcp-name": undefined }],
      ["another name in base64", { "mcp-name": `=?base64?${btoa("upstream_getNote")}?=` }],
      ["a name without the padding", { "mcp-name": "=?base64?dXBzdHJlYW1fbGlzdFRhZ3M?=" }],
      ["a name in no base64", { "mcp-name": "=?base64?!?=" }],
      ["half of the markers", { "mcp-name": "=?base64?dXBzdHJlYW1fbGlzdFRhZ3M=" }],
    ])("26. a header with %s is 400 and -32020, with the id", async (_, changed) => {
      const headers = Object.entries({ ...CALL, ...changed }).filter(([, value]) => value !== undefined);
      const before = it().upstream.requests.length;
      const response = await send(modern("tools/call", call), Object.fromEntries(headers) as Headers);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ id: 1, error: { code: -32020 } });
      expect(it().upstream.requests).toHaveLength(before);
    });

    test.each([
      ["in base64", `=?base64?${btoa("upstream_listTags")}?=`],
      ["between blanks", "  upstream_listTags "],
    ])("a name %s says the same", async (_, name) => {
      const response = await send(modern("tools/call", call), { ...CALL, "mcp-name": name });
      expect((await answerTo(response)).result).toMatchObject({ resultType: "complete" });
    });
  });
}
