import { type ContentBlock, resourceBlock, type ToolResult } from "../bridge/tool-result.ts";
import type { Caller } from "./caller.ts";
import { SSE_REVISION } from "./revisions.ts";

/** A tool's result with nothing in it that the client's revision does not know: 2024-11-05 has no audio. */
export function contentOfRevision(result: ToolResult, tool: string, { session, http }: Caller): ToolResult {
  const revision = session?.record.protocolVersion ?? http.headers.get("mcp-protocol-version");
  if (revision !== SSE_REVISION) return result;
  return { ...result, content: result.content.map((block) => withoutAudio(block, tool)) };
}

function withoutAudio(block: ContentBlock, tool: string): ContentBlock {
  return block.type === "audio" ? resourceBlock(tool, block.mimeType, block.data) : block;
}
