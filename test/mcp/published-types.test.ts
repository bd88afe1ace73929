import type { ContentBlock as StatelessBlock, CallToolResult as StatelessResult } from "@modelcontextprotocol/client";
import {
  CallToolResultSchema,
  type ContentBlock as SessionBlock,
  type CallToolResult as SessionResult,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, expectTypeOf, test } from "vitest";
import {
  type ContentBlock,
  errorResult,
  resourceBlock,
  type ToolResult,
  textResult,
} from "../../lib/protocol/mcp/tool-result.ts";

/** The SDKs publish types that can be written to; ours cannot. */
type Writable<T> = T extends readonly (infer Item)[]
  ? Writable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Writable<T[Key]> }
    : T;

/** What we answer is written by hand (`docs/dependencies.md`): it has to be what the SDKs of both generations publish. */
describe("types of MCP messages", () => {
  test("content blocks and tool results are those of both SDKs", () => {
    expectTypeOf<Writable<ContentBlock>>().toExtend<StatelessBlock>();
    expectTypeOf<Writable<ContentBlock>>().toExtend<SessionBlock>();
    expectTypeOf<Writable<ToolResult>>().toExtend<StatelessResult>();
    expectTypeOf<Writable<ToolResult>>().toExtend<SessionResult>();
  });

  test.each([
    ["text", textResult("done")],
    ["an error", errorResult("no such book")],
    ["a file", { content: [resourceBlock("read", "application/pdf", "AAAA")] }],
    ["an image", { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }],
    ["structured content", { ...textResult("{}"), structuredContent: { id: 1 } }],
  ] satisfies [string, ToolResult][])("a result with %s is read by the SDK as it is written", (_, result) => {
    expect(CallToolResultSchema.parse(result)).toEqual(result);
  });
});
