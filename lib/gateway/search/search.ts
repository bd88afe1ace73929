import type { CatalogConfiguration } from "../../config/configuration.ts";
import { META_TOOL_NAMES } from "../../config/meta-tool-names.ts";
import type { ListedTool } from "../listed-tool.ts";
import type { LocatedTool, ToolIndex } from "../tool-index.ts";
import { definitionText } from "./bounded-definition.ts";
import { createFindTools, type FindTools } from "./find-tools.ts";
import { listedLength, MAX_LISTED_LENGTH } from "./listed-length.ts";

/** Tools that are offered by search, for callers who may see many. */
export interface Search {
  /** Callers who may see more tools than this get three to search with instead. */
  readonly above: number;
  /** Whether these are more than a list has room for, however few they are; reads no more of them than it takes to know. */
  readonly isLong: (tools: readonly LocatedTool[]) => boolean;
  /** The tools that have words of a question, the best first; whoever asks may see some of them only. */
  readonly find: (question: string) => readonly LocatedTool[];
  /** `definitionText`, written once a tool. */
  readonly definitionOf: (tool: ListedTool) => string;
  /** What `find` looks in, for the search of the next configuration. */
  readonly kept: { readonly tools: ToolIndex; readonly find: FindTools };
}

/** Every caller may see more tools than this. */
const ALWAYS = -1;

/**
 * Undefined where no caller can be offered tools by search: then all of this costs nothing.
 *
 * @param former the one of the configuration before, whose index goes on where the tools are the same
 */
export function createSearch(
  catalog: CatalogConfiguration | undefined,
  tools: ToolIndex,
  former?: Search,
): Search | undefined {
  if (!isOffered(catalog, tools)) return undefined;
  const find =
    former !== undefined && isSameText(former.kept.tools, tools)
      ? former.kept.find
      : createFindTools([...tools.values()]);
  const lengthOf = once(listedLength);
  return {
    above: catalog.search === "on" ? ALWAYS : catalog.threshold,
    isLong: (listed) => {
      let length = 0;
      return listed.some((located) => {
        length += lengthOf(located.listed());
        return length > MAX_LISTED_LENGTH;
      });
    },
    find: (question) => find(question).flatMap((name) => tools.get(name) ?? []),
    definitionOf: once(definitionText),
    kept: { tools, find },
  };
}

function once<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/**
 * Whether some caller may be offered tools by search. Few may be too long for a list, which takes reading them to know: it is
 * not known before somebody asks. A tool of an app that is called like one of the three stays what it is among few.
 */
function isOffered(catalog: CatalogConfiguration | undefined, tools: ToolIndex): catalog is CatalogConfiguration {
  if (catalog === undefined) return false;
  const isCertain = catalog.search === "on" || tools.size > catalog.threshold;
  return isCertain || !META_TOOL_NAMES.some((name) => tools.has(name));
}

/** Catalogs mostly stay the objects that they were when a configuration is read again. */
function isSameText(one: ToolIndex, other: ToolIndex): boolean {
  return (
    one.size === other.size &&
    [...one].every(([name, { tool, app }]) => {
      const same = other.get(name);
      return same?.tool === tool && same.app.name === app.name;
    })
  );
}
