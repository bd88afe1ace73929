import { CALL_TOOL } from "../../config/tool-names.ts";
import { isJsonObject } from "../../kernel/json.ts";
import { invalidArgumentsText } from "../../openapi/problem-sentences.ts";
import { summaryOf } from "../../openapi/summary.ts";
import { errorResult, type ToolResult, textResult } from "../../protocol/mcp/tool-result.ts";
import { firstVisible, visibleTools } from "../decision/decide.ts";
import type { ListingCaller } from "../list-tools.ts";
import { proxiedTools } from "../proxied/proxied-tools.ts";
import type { ListedTool, LocatedTool, ToolFacts } from "../tool-index.ts";
import { misplacedArguments } from "./called-tool.ts";
import { CALLING_TOOL, DEFAULT_HITS, DESCRIBE_TOOL, isMetaTool, SEARCH_TOOL } from "./meta-tools.ts";
import { nearestNames, unknownToolText } from "./nearest-names.ts";
import { type SearchingPorts, searchedBy, searchedIn } from "./searched.ts";
import { unlistedNotes } from "./unlisted-notes.ts";

/** Carries out `search_tools` or `describe_tools`, or says why a `call_tool` names no tool. */
export async function runMetaTool(
  name: string,
  given: unknown,
  caller: ListingCaller,
  ports: SearchingPorts,
): Promise<ToolResult> {
  const tool = [SEARCH_TOOL, DESCRIBE_TOOL].find((meta) => meta.name === name) ?? CALLING_TOOL;
  const problems = problemsOf(tool, given ?? {}, ports);
  if (problems.length > 0) return errorResult(invalidArgumentsText(problems));
  // What the schemas say.
  const {
    names,
    limit = DEFAULT_HITS,
    ...asked
  } = given as Partial<ToolQuery> & { names: readonly string[]; query: string };
  if (tool === SEARCH_TOOL) return searchTools({ ...asked, limit }, caller, ports);
  return describeTools(names, caller, ports);
}

function problemsOf(tool: ListedTool, given: unknown, { check }: SearchingPorts): readonly string[] {
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
interface ToolQuery {
  readonly query: string;
  readonly limit: number;
  /** Name of the app to look in; absent: all. */
  readonly app?: string | undefined;
}

/**
 * The tools that the caller may see and a question finds, as a line each and as data; their number says nothing of others. What an app
 * has that waits for its person nobody knows: where there is room, how to connect it is found last by any question.
 */
async function searchTools(
  { query, limit, app }: ToolQuery,
  caller: ListingCaller,
  ports: SearchingPorts,
): Promise<ToolResult> {
  const searched = await searchedBy(caller, ports);
  const hits = await ports.search.find(query, searched);
  const all = [...new Set([...hits, ...searched.connecting])];
  const candidates = all.filter((located) => app === undefined || located.app.name === app);
  const found = await firstVisible(candidates, limit, caller, ports);
  const notes = await unlistedNotes(searched.unlisted, caller, ports, app);
  // Nobody knows whether there is such a tool: an empty answer would say that there is none.
  if (found.length === 0 && notes.length > 0) return errorResult(notes.join("\n"));
  if (found.length === 0 && app !== undefined) {
    const apps = await visibleAppNames(caller, ports);
    if (!apps.includes(app)) return errorResult(unknownAppText(app, apps));
  }
  const tools = found.map(hitOf);
  const text = tools.length === 0 ? "No tool has these words. Try others." : tools.map(lineOf).join("\n");
  return { ...textResult([text, ...notes].join("\n\n")), structuredContent: { tools } };
}

/** An app of which the caller may see no tool does not exist for it (checklist 27). */
async function visibleAppNames(caller: ListingCaller, ports: SearchingPorts): Promise<readonly string[]> {
  const all = [...ports.tools.values(), ...(await proxiedTools(caller, ports))];
  const visible = await visibleTools(all, caller, ports);
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

/** Characters of all definitions together. */
const MAX_LENGTH = 100_000;

/**
 * The definitions of tools, a JSON text each. Without output schemas: they are the larger half, and calls need none. What
 * does not exist for the caller is told with the nearest names, and what has no room is named.
 */
export async function describeTools(
  names: readonly string[],
  caller: ListingCaller,
  ports: SearchingPorts,
): Promise<ToolResult> {
  const asked = [...new Set(names)];
  const needsLists = asked.some((name) => !ports.tools.has(name));
  const searched = needsLists ? await searchedBy(caller, ports) : searchedIn({}, ports);
  const located = asked.flatMap((name) => searched.get(name) ?? []);
  const visible = await visibleTools(located, caller, ports);
  const known = new Set(visible.map(({ tool }) => tool.name));
  const unknown = asked.filter((name) => !known.has(name));
  const nearest = await nearestNames(unknown, searched, caller, ports);
  const texts = visible.map(({ tool, listed }) => ({ name: tool.name, text: ports.search.definitionOf(listed()) }));
  const { shown, omitted } = fitting(texts);
  const notes = unknown.map((name) => unknownToolText(name, nearest.get(name)));
  if (unknown.length > 0) notes.push(...(await unlistedNotes(searched.unlisted, caller, ports)));
  if (omitted.length > 0) notes.push(`No room is left for ${omitted.join(", ")}: ask for them separately.`);
  if (shown.length === 0) return errorResult(notes.join("\n"));
  return textResult([...shown, ...notes].join("\n\n"));
}

function fitting(texts: readonly { readonly name: string; readonly text: string }[]): {
  readonly shown: readonly string[];
  readonly omitted: readonly string[];
} {
  const shown: string[] = [];
  const omitted: string[] = [];
  let length = 0;
  for (const { name, text } of texts) {
    if (length + text.length > MAX_LENGTH) omitted.push(name);
    else {
      shown.push(text);
      length += text.length;
    }
  }
  return { shown, omitted };
}
