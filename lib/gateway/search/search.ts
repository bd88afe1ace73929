import type { McpBridgeAppConfiguration } from "../../config/app-configuration.ts";
import type { CatalogConfiguration } from "../../config/configuration.ts";
import { META_TOOL_NAMES } from "../../config/tool-names.ts";
import { createFindTools, type FindTools } from "../../search/find-tools.ts";
import { connectList } from "../proxied/connect-tool.ts";
import type { ListedTool, LocatedTool, ToolIndex } from "../tool-index.ts";
import { definitionText } from "./bounded-definition.ts";
import type { Searched } from "./searched-list.ts";
import { createUnions, type Unions } from "./unions.ts";

/** Tools that are offered by search, for callers who may see many. */
export interface Search {
  /** Callers who may see more tools than this get three to search with instead. */
  readonly above: number;
  /** Whether these are more than a list has room for, however few they are; reads no more of them than it takes to know. */
  readonly isLong: (tools: readonly LocatedTool[]) => boolean;
  /** The tools that have words of a question, the best first; whoever asks may see some of them only. */
  readonly find: (question: string, searched: Searched) => Promise<readonly LocatedTool[]>;
  /** `definitionText`, written once a tool. */
  readonly definitionOf: (tool: ListedTool) => string;
  /** What `find` looks in, for the search of the next configuration. */
  readonly kept: Kept;
}

/** The tools of REST APIs, and what they come from. */
export interface SearchedCatalogs {
  readonly tools: ToolIndex;
  readonly apps: readonly Pick<McpBridgeAppConfiguration, "name" | "catalog">[];
}

interface Kept {
  readonly apps: SearchedCatalogs["apps"];
  /** In the tools of REST APIs alone. */
  readonly find: FindTools;
  readonly unions: Unions;
}

/** Every caller may see more tools than this. */
const ALWAYS = -1;

/**
 * Undefined where no caller can be offered tools by search: then all of this costs nothing.
 *
 * @param hasProxies whether callers may see tools that no configuration knows of
 * @param former the one of the configuration before, whose indexes go on where the tools are the same
 */
export function createSearch(
  catalog: CatalogConfiguration | undefined,
  { tools, apps }: SearchedCatalogs,
  hasProxies: boolean,
  former?: Search,
): Search | undefined {
  if (!isOffered(catalog, tools, hasProxies)) return undefined;
  const { find, unions } =
    former !== undefined && isSameText(former.kept.apps, apps)
      ? former.kept
      : { find: createFindTools({ [Symbol.iterator]: () => tools.values() }), unions: createUnions(tools) };
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
    find: async (question, { lists, connecting, get }) => {
      const filled = [...lists.filter(({ list }) => list.entries.length > 0), ...connecting.map(connectList)];
      const names = filled.length === 0 ? find(question) : await unions.find(question, filled);
      return names.flatMap((name) => get(name) ?? []);
    },
    definitionOf: once(definitionText),
    kept: { apps, find, unions },
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
 * not known before somebody asks, and neither is what upstream MCP servers list. A tool of a REST API that is called like one
 * of the three stays what it is among few.
 */
function isOffered(
  catalog: CatalogConfiguration | undefined,
  tools: ToolIndex,
  hasProxies: boolean,
): catalog is CatalogConfiguration {
  if (catalog === undefined) return false;
  const isCertain = catalog.search === "on" || hasProxies || tools.size > catalog.threshold;
  return isCertain || !META_TOOL_NAMES.some((name) => tools.has(name));
}

/** Catalogs mostly stay the objects that they were when a configuration is read again. */
function isSameText(one: SearchedCatalogs["apps"], other: SearchedCatalogs["apps"]): boolean {
  return (
    one.length === other.length &&
    one.every(({ name, catalog }, index) => other[index]?.name === name && other[index].catalog === catalog)
  );
}

/**
 * Characters of the tools of a list, a quarter as many tokens: half of what many models take, and an agent has more to read
 * than tools. Some operations alone are a third of it (D107).
 */
export const MAX_LISTED_LENGTH = 400_000;

/** Characters of a tool in a list. */
export function listedLength(tool: ListedTool): number {
  return JSON.stringify(tool).length;
}
