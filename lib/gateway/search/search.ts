import type { CatalogConfiguration } from "../../config/configuration.ts";
import type { ListedTool } from "../listed-tool.ts";
import type { LocatedTool, ToolIndex } from "../tool-index.ts";
import { definitionText } from "./bounded-definition.ts";
import { createFindTools, type FindTools } from "./find-tools.ts";

/** Tools that are offered by search, for callers who may see many. */
export interface Search {
  /** Callers who may see more tools than this get three to search with instead. */
  readonly above: number;
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
  if (!isOffered(catalog, tools.size)) return undefined;
  const find =
    former !== undefined && isSameText(former.kept.tools, tools)
      ? former.kept.find
      : createFindTools([...tools.values()]);
  return {
    above: catalog.search === "on" ? ALWAYS : catalog.threshold,
    find: (question) => find(question).flatMap((name) => tools.get(name) ?? []),
    definitionOf: once(definitionText),
    kept: { tools, find },
  };
}

function once<Key extends object>(write: (key: Key) => string): (key: Key) => string {
  const written = new WeakMap<Key, string>();
  return (key) => {
    const text = written.get(key) ?? write(key);
    written.set(key, text);
    return text;
  };
}

/** Whether some caller may be offered tools by search, where this many are served. */
function isOffered(catalog: CatalogConfiguration | undefined, count: number): catalog is CatalogConfiguration {
  return catalog !== undefined && (catalog.search === "on" || count > catalog.threshold);
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
