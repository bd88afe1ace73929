import type { BridgeTool } from "../bridge/catalog.ts";
import type { ToolIndex } from "./tool-index.ts";

/** A tool as `tools/list` shows it. */
export type ListedTool = Pick<
  BridgeTool,
  "name" | "title" | "description" | "inputSchema" | "outputSchema" | "annotations"
>;

/** Every tool: scopes do not hide, a step-up can reach them (D26). */
export function listTools(index: ToolIndex): readonly ListedTool[] {
  return [...index.values()].map(({ tool }) => ({
    name: tool.name,
    ...(tool.title !== undefined && { title: tool.title }),
    ...(tool.description !== undefined && { description: tool.description }),
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema !== undefined && { outputSchema: tool.outputSchema }),
    annotations: tool.annotations,
  }));
}
