import { sha256base64url } from "#sha256";
import type { SearchedFacts, SearchedTool } from "../../search/searched-tool.ts";
import type { UpstreamTool } from "../../upstream/catalog/upstream-list.ts";
import type { AppList, UnlistedApp } from "../proxied/lists.ts";
import type { LocatedTool, ProxiedTool } from "../tool-index.ts";

/** What one upstream lists for a caller. */
export type ToolList = AppList<"tools">;

/** What a caller's search is about, before policies are asked. */
export interface Searched {
  /** What upstream MCP servers list for the caller. */
  readonly lists: readonly ToolList[];
  /** Those that have not said what they have: nothing can be found of them. */
  readonly unlisted: readonly UnlistedApp[];
  /** One tool of each app that lists its own only once the caller's person has connected an account. */
  readonly connecting: readonly ProxiedTool[];
  /** The tool that the caller would call by this name, of whichever kind. */
  readonly get: (name: string) => LocatedTool | undefined;
}

/** Characters that a search reads of what an upstream writes; its names are bounded where they are read. */
const TITLE = 200;
const DESCRIPTION = 1_000;

export function searchedTools({ app, list }: ToolList): readonly SearchedTool[] {
  return list.entries.map((entry) => ({ tool: searchedFacts(entry), app }));
}

/** Servers of before titles had a place of their own have them among the annotations. */
function searchedFacts({ name, localName, title, description, annotations }: UpstreamTool): SearchedFacts {
  const shown = title ?? annotations.title;
  return {
    name,
    localName,
    annotations,
    ...(shown !== undefined && { title: shown.slice(0, TITLE) }),
    ...(description !== undefined && { description: description.slice(0, DESCRIPTION) }),
  };
}

/** Equal for lists that a search cannot tell apart: of two callers who see the same, and of one who asks again. */
export function searchedDigest(searched: ToolList): string {
  return sha256base64url(JSON.stringify([searched.app.name, searchedTools(searched).map(({ tool }) => tool)]));
}

/** Whether two lists of one app have the same digest, as far as can be told without making it: false proves nothing. */
export function isSameToSearches(one: ToolList["list"], other: ToolList["list"]): boolean {
  if (one === other) return true;
  return (
    one.entries.length === other.entries.length &&
    one.entries.every((tool, index) => {
      const same = other.entries[index];
      return (
        same !== undefined &&
        tool.name === same.name &&
        tool.localName === same.localName &&
        tool.title === same.title &&
        tool.description === same.description &&
        ANNOTATIONS.every((name) => tool.annotations[name] === same.annotations[name])
      );
    })
  );
}

const ANNOTATIONS = ["title", "readOnlyHint", "idempotentHint", "destructiveHint", "openWorldHint"] as const;
