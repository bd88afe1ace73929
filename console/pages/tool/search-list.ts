import type { Tool } from "@modelcontextprotocol/client";

const NAMES = ["search_tools", "describe_tools", "call_tool"];

/** Whether the tools are those that stand for all others, where these are many or long. */
export function isSearchList(tools: readonly Pick<Tool, "name">[]): boolean {
  return tools.length === NAMES.length && NAMES.every((name) => tools.some((tool) => tool.name === name));
}
