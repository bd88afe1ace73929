import type { ListedTool } from "../listed-tool.ts";

/**
 * Characters of the tools of a list, a quarter as many tokens: half of what many models take, and an agent has more to read
 * than tools. Some operations alone are a third of it (D107).
 */
export const MAX_LISTED_LENGTH = 400_000;

/** Characters of a tool in a list. */
export function listedLength(tool: ListedTool): number {
  return JSON.stringify(tool).length;
}
