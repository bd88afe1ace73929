import { boundedCache } from "../../kernel/bounded-cache.ts";
import { lruCache } from "../../kernel/lru-cache.ts";
import { pause } from "../../kernel/timers.ts";
import { indexEntry } from "../../search/find-tools.ts";
import type { SearchedTool } from "../../search/searched-tool.ts";
import { createGrowingTextIndex, type TextIndex } from "../../search/text-index.ts";
import type { ToolIndex } from "../tool-index.ts";
import { isMetaTool } from "./meta-tools.ts";
import { isSameToSearches, searchedDigest, searchedTools, type ToolList } from "./searched-list.ts";

/**
 * Finds tools of REST APIs and of upstream MCP servers together. Ranks of two indexes cannot be compared, so that there is one
 * for each combination of lists; callers whose lists say the same have it in common.
 */
export interface Unions {
  /** The names of the tools that have words of a question, the best first: of the REST APIs and of these lists. */
  find(question: string, lists: readonly ToolList[]): Promise<readonly string[]>;
}

/** Tools of all indexes that are kept together, at some 1.5 KB each. */
const MOST_TOOLS = 20_000;
/** Apps whose lists are compared with the one before: it mostly says the same, which is seen sooner than a digest is made. */
const MOST_APPS = 20;
/** Tools that are indexed before others have a turn: some ten milliseconds. */
const STEP = 50;

/** @param most tools of all indexes together; one of more is kept alone */
export function createUnions(tools: ToolIndex, most: number = MOST_TOOLS): Unions {
  const kept = lruCache<string, Union>(most, ({ size }) => size);
  const digests = new WeakMap<ToolList["list"], string>();
  /** By the app's name: the list whose digest was wanted last. */
  const latest = boundedCache<string, ToolList["list"]>(MOST_APPS);
  const digestOf = (searched: ToolList): string => {
    const { app, list } = searched;
    const former = digests.get(list) === undefined ? latest.get(app.name) : list;
    const known = former !== undefined && isSameToSearches(former, list) ? digests.get(former) : undefined;
    const digest = known ?? searchedDigest(searched);
    digests.set(list, digest);
    latest.put(app.name, list);
    return digest;
  };
  return {
    async find(question, lists) {
      const key = lists.map(digestOf).join(" ");
      const union = kept.get(key) ?? createUnion(tools, lists);
      kept.put(key, union);
      // Whoever asks meanwhile helps to build the same one.
      do await pause(0);
      while (!union.grow());
      return union.find(question);
    },
  };
}

interface Union {
  readonly size: number;
  /** Takes in more tools. Returns whether it has all. */
  grow(): boolean;
  readonly find: TextIndex<string>;
}

function createUnion(tools: ToolIndex, lists: readonly ToolList[]): Union {
  const index = createGrowingTextIndex<string>();
  const all = distinct([...tools.values(), ...lists.flatMap(searchedTools)]);
  const { length: size } = all;
  let left = all;
  const grow = (): boolean => {
    index.add(left.slice(0, STEP).map(indexEntry));
    left = left.slice(STEP);
    return left.length === 0;
  };
  return { size, grow, find: index.find };
}

/** Of tools with one name the first, as calls have it; the gateway's own names are nobody else's. */
function distinct(tools: readonly SearchedTool[]): readonly SearchedTool[] {
  const byName = new Map<string, SearchedTool>();
  for (const searched of tools) {
    const { name } = searched.tool;
    if (!byName.has(name) && !isMetaTool(name)) byName.set(name, searched);
  }
  return [...byName.values()];
}
