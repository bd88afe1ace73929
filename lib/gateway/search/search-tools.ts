import type { ToolResult } from "../../bridge/tool-result.ts";
import { textResult } from "../../bridge/tool-result.ts";
import type { PolicyCaller } from "../policy-input.ts";
import type { LocatedTool } from "../tool-index.ts";
import { firstVisible } from "../visible-tools.ts";
import type { SearchingGateway } from "./run-meta-tool.ts";
import { prose } from "./tool-text.ts";

/** Characters of what a hit says of itself. */
const SUMMARY_LENGTH = 160;
/** Names of needed arguments that a hit shows; whoever needs more has to have the tool described anyway. */
const MAX_REQUIRED = 12;

interface Hit {
  readonly name: string;
  readonly summary: string;
  readonly required: readonly string[];
}

/** The tools that the caller may see and a question finds, as a line each and as data; their number says nothing of others. */
export async function searchTools(
  question: string,
  limit: number,
  caller: PolicyCaller,
  gateway: SearchingGateway,
): Promise<ToolResult> {
  const found = await firstVisible(gateway.search.find(question), limit, caller, gateway);
  const tools = found.map(hitOf);
  const text = tools.length === 0 ? "No tool has these words. Try others." : tools.map(lineOf).join("\n");
  return { ...textResult(text), structuredContent: { tools } };
}

function hitOf({ tool, open }: LocatedTool): Hit {
  const { required } = open().inputSchema;
  return {
    name: tool.name,
    summary: summaryOf(tool),
    required: Array.isArray(required) ? required.slice(0, MAX_REQUIRED).map(String) : [],
  };
}

/** For example `notes_getNote(noteId): Reads a note`. */
function lineOf({ name, summary, required }: Hit): string {
  return `${name}(${required.join(", ")})${summary === "" ? "" : `: ${summary}`}`;
}

/** The title, or the first sentence of the description. */
function summaryOf({ title, description = "" }: LocatedTool["tool"]): string {
  const text = title ?? prose(description).replace(/(?<=\p{L}{2}[.!?])\s.*$/su, "");
  return text.length <= SUMMARY_LENGTH ? text : `${text.slice(0, SUMMARY_LENGTH).toWellFormed()}…`;
}
