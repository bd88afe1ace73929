import { summaryOf } from "../../bridge/summary.ts";
import { errorResult, type ToolResult, textResult } from "../../bridge/tool-result.ts";
import type { ListingCaller } from "../list-tools.ts";
import { proxiedTools } from "../proxied/proxied-tools.ts";
import type { LocatedTool, ToolFacts } from "../tool-index.ts";
import { firstVisible, visibleTools } from "../visible-tools.ts";
import type { SearchingGateway } from "./run-meta-tool.ts";
import { searchedBy } from "./searched.ts";

/** Characters of what a hit says of itself. */
const SUMMARY_LENGTH = 160;
/** Characters of a description that this is taken from. */
const SUMMARY_SOURCE = 2_000;
/** Names of needed arguments that a hit shows, and characters of each; whoever needs more has to have the tool described anyway. */
const MAX_REQUIRED = 12;
const MAX_REQUIRED_LENGTH = 100;
/** Names of apps that an error names. */
const MAX_APPS = 50;

interface Hit {
  readonly name: string;
  readonly summary: string;
  readonly required: readonly string[];
}

/** What `search_tools` is asked. */
export interface ToolQuery {
  readonly query: string;
  readonly limit: number;
  /** Name of the app to look in; absent: all. */
  readonly app?: string | undefined;
}

/** The tools that the caller may see and a question finds, as a line each and as data; their number says nothing of others. */
export async function searchTools(
  { query, limit, app }: ToolQuery,
  caller: ListingCaller,
  gateway: SearchingGateway,
): Promise<ToolResult> {
  const hits = await gateway.search.find(query, await searchedBy(caller, gateway));
  const candidates = hits.filter((located) => app === undefined || located.app.name === app);
  const found = await firstVisible(candidates, limit, caller, gateway);
  if (found.length === 0 && app !== undefined) {
    const apps = await visibleAppNames(caller, gateway);
    if (!apps.includes(app)) return errorResult(unknownAppText(app, apps));
  }
  const tools = found.map(hitOf);
  const text = tools.length === 0 ? "No tool has these words. Try others." : tools.map(lineOf).join("\n");
  return { ...textResult(text), structuredContent: { tools } };
}

/** An app of which the caller may see no tool does not exist for it (checklist 27). */
async function visibleAppNames(caller: ListingCaller, gateway: SearchingGateway): Promise<readonly string[]> {
  const all = [...gateway.tools.values(), ...(await proxiedTools(caller, gateway))];
  const visible = await visibleTools(all, caller, gateway);
  return [...new Set(visible.map(({ app }) => app.name))];
}

function unknownAppText(app: string, apps: readonly string[]): string {
  const unknown = `There is no app ${JSON.stringify(app)}.`;
  if (apps.length === 0) return unknown;
  const more = apps.length > MAX_APPS ? ` and ${apps.length - MAX_APPS} more` : "";
  return `${unknown} There are: ${apps.slice(0, MAX_APPS).join(", ")}${more}.`;
}

function hitOf({ tool, listed }: LocatedTool): Hit {
  const { required } = listed().inputSchema;
  return {
    name: tool.name,
    summary: bounded(summaryOf(beginningOf(tool)), SUMMARY_LENGTH),
    required: Array.isArray(required)
      ? required.slice(0, MAX_REQUIRED).map((argument) => bounded(String(argument), MAX_REQUIRED_LENGTH))
      : [],
  };
}

/** An upstream writes what it likes, also megabytes. */
function beginningOf({ title, description }: ToolFacts): Pick<ToolFacts, "title" | "description"> {
  return {
    ...(title !== undefined && { title: title.slice(0, SUMMARY_SOURCE) }),
    ...(description !== undefined && { description: description.slice(0, SUMMARY_SOURCE) }),
  };
}

/** For example `notes_getNote(noteId): Reads a note`. */
function lineOf({ name, summary, required }: Hit): string {
  return `${name}(${required.join(", ")})${summary === "" ? "" : `: ${summary}`}`;
}

function bounded(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}
