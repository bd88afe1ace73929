import type { BridgeTool } from "../bridge/catalog.ts";
import type { McpBridgeAppConfiguration } from "../config/configuration.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import { isVisible } from "./visible-app.ts";

/** A tool as `tools/list` shows it. */
export type ListedTool = Pick<
  BridgeTool,
  "name" | "title" | "description" | "inputSchema" | "outputSchema" | "annotations"
>;

/** Every tool of the apps that the agent may see (D32): scopes do not hide, a step-up can reach them (D26). */
export async function listTools(
  identity: ToolCall["identity"],
  gateway: Pick<Gateway, "tools" | "organizationOf">,
): Promise<readonly ListedTool[]> {
  const tools = [...gateway.tools.values()];
  const visible = new Set<McpBridgeAppConfiguration>();
  for (const app of new Set(tools.map(({ app }) => app))) {
    if (await isVisible(app, identity, gateway)) visible.add(app);
  }
  return tools
    .filter(({ app }) => visible.has(app))
    .map(({ tool }) => ({
      name: tool.name,
      ...(tool.title !== undefined && { title: tool.title }),
      ...(tool.description !== undefined && { description: tool.description }),
      inputSchema: tool.inputSchema,
      ...(tool.outputSchema !== undefined && { outputSchema: tool.outputSchema }),
      annotations: tool.annotations,
    }));
}
