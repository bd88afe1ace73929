import { invalidArgumentsText } from "../../bridge/problem-sentences.ts";
import { errorResult, type ToolResult } from "../../bridge/tool-result.ts";
import { CALL_TOOL } from "../../config/meta-tool-names.ts";
import { isJsonObject } from "../../json.ts";
import type { Gateway } from "../gateway.ts";
import type { ListingCaller } from "../list-tools.ts";
import type { ListedTool } from "../listed-tool.ts";
import { misplacedArguments } from "./called-tool.ts";
import { describeTools } from "./describe-tools.ts";
import { CALLING_TOOL, DEFAULT_HITS, DESCRIBE_TOOL, isMetaTool, SEARCH_TOOL } from "./meta-tools.ts";
import type { Search } from "./search.ts";
import { searchTools, type ToolQuery } from "./search-tools.ts";

export type SearchingGateway = Gateway & { readonly search: Search };

/** Carries out `search_tools` or `describe_tools`, or says why a `call_tool` names no tool. */
export async function runMetaTool(
  name: string,
  given: unknown,
  caller: ListingCaller,
  gateway: SearchingGateway,
): Promise<ToolResult> {
  const tool = [SEARCH_TOOL, DESCRIBE_TOOL].find((meta) => meta.name === name) ?? CALLING_TOOL;
  const problems = problemsOf(tool, given ?? {}, gateway);
  if (problems.length > 0) return errorResult(invalidArgumentsText(problems));
  // What the schemas say.
  const {
    names,
    limit = DEFAULT_HITS,
    ...asked
  } = given as Partial<ToolQuery> & { names: readonly string[]; query: string };
  if (tool === SEARCH_TOOL) return searchTools({ ...asked, limit }, caller, gateway);
  return describeTools(names, caller, gateway);
}

function problemsOf(tool: ListedTool, given: unknown, { check }: SearchingGateway): readonly string[] {
  if (tool.name !== CALL_TOOL || !isJsonObject(given)) return check(tool.inputSchema, given);
  const misplaced = misplacedArguments(given);
  const { name, arguments: inner } = given;
  const placed = { ...(name !== undefined && { name }), ...(inner !== undefined && { arguments: inner }) };
  return [
    ...(isMetaTool(name) ? [`name: ${name} is called directly, not with ${CALL_TOOL}`] : []),
    ...(misplaced.length > 0 ? [`put ${listed(misplaced)} below "arguments"`] : []),
    ...check(tool.inputSchema, placed),
  ];
}

/** Names that an error repeats, and characters of each. */
const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 100;

function listed(names: readonly string[]): string {
  const told = names.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME_LENGTH).toWellFormed());
  const last = names.length > MAX_NAMES ? `${names.length - MAX_NAMES} more` : told.pop();
  return told.length === 0 ? String(last) : `${told.join(", ")} and ${last}`;
}
