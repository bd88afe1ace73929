import { errorResult, type ToolResult } from "../../bridge/tool-result.ts";
import { CALL_TOOL } from "../../config/meta-tool-names.ts";
import { isJsonObject } from "../../json.ts";
import type { Gateway } from "../gateway.ts";
import type { ListedTool } from "../listed-tool.ts";
import type { PolicyCaller } from "../policy-input.ts";
import { describeTools } from "./describe-tools.ts";
import { CALLING_TOOL, DEFAULT_HITS, DESCRIBE_TOOL, isMetaTool, SEARCH_TOOL } from "./meta-tools.ts";
import type { Search } from "./search.ts";
import { searchTools } from "./search-tools.ts";

export type SearchingGateway = Pick<Gateway, "tools" | "policies" | "mcpProvider" | "organizationOf" | "check"> & {
  readonly search: Search;
};

/** Carries out `search_tools` or `describe_tools`, or says why a `call_tool` names no tool. */
export async function runMetaTool(
  name: string,
  given: unknown,
  caller: PolicyCaller,
  gateway: SearchingGateway,
): Promise<ToolResult> {
  const tool = [SEARCH_TOOL, DESCRIBE_TOOL].find((meta) => meta.name === name) ?? CALLING_TOOL;
  const problems = problemsOf(tool, given ?? {}, gateway);
  if (problems.length > 0) return errorResult(`Invalid arguments: ${problems.join("; ")}`);
  // What the schemas say.
  const { query, limit, names } = (given ?? {}) as { query: string; limit?: number; names: readonly string[] };
  if (tool === SEARCH_TOOL) return searchTools(query, limit ?? DEFAULT_HITS, caller, gateway);
  return describeTools(names, caller, gateway);
}

function problemsOf(tool: ListedTool, given: unknown, { check }: SearchingGateway): readonly string[] {
  const problems = check(tool.inputSchema, given);
  const inner = tool.name === CALL_TOOL && isJsonObject(given) ? given.name : undefined;
  return isMetaTool(inner) ? [`name: ${inner} is called directly, not with ${CALL_TOOL}`, ...problems] : problems;
}
