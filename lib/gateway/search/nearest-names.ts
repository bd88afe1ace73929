import { SEARCH_TOOLS } from "../../config/tool-names.ts";
import { visibleTools } from "../decision/decide.ts";
import type { PolicyCaller } from "../decision/policy-input.ts";
import type { LocatedTool } from "../tool-index.ts";
import { QUESTION_LENGTH } from "./meta-tools.ts";
import type { SearchingPorts } from "./searched.ts";
import type { Searched } from "./searched-list.ts";

const CANDIDATES = 20;
const NEAREST = 3;

/**
 * Names of tools that the caller may see and whose words a name has that is not known. A name that is hidden from the caller is
 * treated as one that does not exist (checklist 27).
 */
export async function nearestNames(
  names: readonly string[],
  searched: Searched,
  caller: PolicyCaller,
  ports: SearchingPorts,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const candidates: (readonly LocatedTool[])[] = [];
  for (const name of names) {
    const found = await ports.search.find(name.slice(0, QUESTION_LENGTH), searched);
    candidates.push(found.slice(0, CANDIDATES));
  }
  const visible = new Set(await visibleTools([...new Set(candidates.flat())], caller, ports));
  return new Map(
    names.map((name, index) => {
      const near = (candidates[index] ?? []).filter((located) => visible.has(located));
      return [name, near.slice(0, NEAREST).map(({ tool }) => tool.name)];
    }),
  );
}

/** Why a tool is not described or called. */
export function unknownToolText(name: string, nearest: readonly string[] = []): string {
  const unknown = `There is no tool ${JSON.stringify(name.slice(0, 100))}.`;
  return `${unknown}${nearest.length === 0 ? ` ${SEARCH_TOOLS} finds names.` : nearText(nearest)}`;
}

/** What is said after that there is no tool; empty where nothing is near. */
export function nearText(nearest: readonly string[] = []): string {
  return nearest.length === 0 ? "" : ` Near to it: ${nearest.join(", ")}.`;
}
