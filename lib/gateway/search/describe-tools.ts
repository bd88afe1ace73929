import { errorResult, type ToolResult, textResult } from "../../bridge/tool-result.ts";
import type { ListingCaller } from "../list-tools.ts";
import { visibleTools } from "../visible-tools.ts";
import { nearestNames, unknownToolText } from "./nearest-names.ts";
import type { SearchingGateway } from "./run-meta-tool.ts";
import { searchedBy, searchedIn } from "./searched.ts";

/** Characters of all definitions together. */
const MAX_LENGTH = 100_000;

/**
 * The definitions of tools, a JSON text each. Without output schemas: they are the larger half, and calls need none. What
 * does not exist for the caller is told with the nearest names, and what has no room is named.
 */
export async function describeTools(
  names: readonly string[],
  caller: ListingCaller,
  gateway: SearchingGateway,
): Promise<ToolResult> {
  const asked = [...new Set(names)];
  const needsLists = asked.some((name) => !gateway.tools.has(name));
  const searched = needsLists ? await searchedBy(caller, gateway) : searchedIn([], gateway);
  const located = asked.flatMap((name) => searched.get(name) ?? []);
  const visible = await visibleTools(located, caller, gateway);
  const known = new Set(visible.map(({ tool }) => tool.name));
  const unknown = asked.filter((name) => !known.has(name));
  const nearest = await nearestNames(unknown, searched, caller, gateway);
  const texts = visible.map(({ tool, listed }) => ({ name: tool.name, text: gateway.search.definitionOf(listed()) }));
  const { shown, omitted } = fitting(texts);
  const notes = unknown.map((name) => unknownToolText(name, nearest.get(name)));
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
