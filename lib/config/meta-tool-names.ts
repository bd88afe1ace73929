/** The tools that all others are searched, described and called with; no app's tool is called so while they are offered. */
export const SEARCH_TOOLS = "search_tools";
export const DESCRIBE_TOOLS = "describe_tools";
export const CALL_TOOL = "call_tool";

export const META_TOOL_NAMES: readonly string[] = [SEARCH_TOOLS, DESCRIBE_TOOLS, CALL_TOOL];
