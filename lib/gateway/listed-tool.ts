import type { BridgeTool } from "../bridge/catalog.ts";
import { withPropertyObjects } from "../proxy/catalog/property-schemas.ts";

/** A tool as `tools/list` shows it. */
export type ListedTool = Pick<
  BridgeTool,
  "name" | "title" | "description" | "inputSchema" | "outputSchema" | "annotations"
>;

/** What shows a tool: one object for all lists, so that its text is written once. */
export function createListed(open: () => BridgeTool): () => ListedTool {
  let listed: ListedTool | undefined;
  return () => {
    listed ??= listedTool(open());
    return listed;
  };
}

export function listedTool({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: BridgeTool): ListedTool {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: withPropertyObjects(inputSchema),
    ...(outputSchema !== undefined && { outputSchema: withPropertyObjects(outputSchema) }),
    annotations,
  };
}
