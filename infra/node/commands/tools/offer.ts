import { valueAt } from "../../../../lib/config/path.ts";
import { META_TOOL_NAMES } from "../../../../lib/config/tool-names.ts";
import { listedLength, MAX_LISTED_LENGTH } from "../../../../lib/gateway/search/search.ts";
import { listedTool } from "../../../../lib/gateway/tool-index.ts";
import { createOpenTool } from "../../../../lib/openapi/open-tool.ts";
import { counted } from "../catalog-summary.ts";
import type { ToolSource } from "./tool-apps.ts";

/** How agents get at the tools. */
export interface ToolOffer {
  /**
   * What `tools/list` has for whoever may see every tool: all, or those that search for them, or what depends on the MCP
   * servers' lists; null: a placeholder decides.
   */
  readonly agentsSee: "tools" | "search" | "depends" | "nothing" | null;
  /** `mcpProvider.catalog`, its defaults in place; null is a placeholder. */
  readonly search: string | null;
  readonly threshold: number | null;
  /** Tools of the gateway's REST APIs, and characters of a list of all of them. */
  readonly tools: number;
  readonly characters: number;
  /** MCP servers, whose tools come on top. */
  readonly servers: number;
}

const DEFAULTS = { search: "auto", threshold: 150 };

export function offerOf({ apps, servers, mcpProvider, isConfiguration }: ToolSource): ToolOffer {
  const { search = DEFAULTS.search, threshold = DEFAULTS.threshold } = Object(valueAt(mcpProvider, ["catalog"]));
  const enabled = isConfiguration ? valueAt(mcpProvider, ["enabled"]) : true;
  const names = new Set(apps.flatMap(({ catalog }) => catalog.tools.map(({ name }) => name)));
  const size = { tools: names.size, characters: charactersOf({ apps }), servers: servers.length };
  return {
    agentsSee: enabled === true ? seen(search, threshold, size, names) : enabled === null ? null : "nothing",
    search,
    threshold,
    ...size,
  };
}

function charactersOf({ apps }: Pick<ToolSource, "apps">): number {
  const lengths = apps.flatMap(({ catalog }) => {
    const open = createOpenTool(catalog);
    return catalog.tools.map((tool) => listedLength(listedTool(open(tool))));
  });
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** As `lib/gateway/search/search.ts` decides. */
function seen(
  search: unknown,
  threshold: unknown,
  { tools, characters, servers }: Pick<ToolOffer, "tools" | "characters" | "servers">,
  names: ReadonlySet<string>,
): ToolOffer["agentsSee"] {
  if (search === "on") return "search";
  if (search === "off") return "tools";
  if (search !== "auto" || typeof threshold !== "number") return null;
  const isLong = characters > MAX_LISTED_LENGTH && !META_TOOL_NAMES.some((name) => names.has(name));
  if (tools > threshold || isLong) return "search";
  return servers > 0 ? "depends" : "tools";
}

/** `shown to agents: 12 tools, 34,567 characters (catalog.search: auto, threshold 150)` */
export function offerText(offer: ToolOffer): string {
  const { agentsSee, search, threshold } = offer;
  if (agentsSee === "nothing") return "agents see none of them: mcpProvider is not enabled";
  const settings = `catalog.search: ${search ?? "filled at start"}, threshold ${threshold ?? "filled at start"}`;
  const all = allText(offer);
  if (agentsSee === "depends")
    return `shown to agents: ${all}, or ${listed(META_TOOL_NAMES)} instead, depending on these (${settings})`;
  if (agentsSee === "tools") return `shown to agents: ${all} (${settings})`;
  if (agentsSee === "search") return `shown to agents: ${listed(META_TOOL_NAMES)} instead of ${all} (${settings})`;
  return `what agents see of ${all} is decided at start (${settings})`;
}

function allText({ tools, characters, servers }: ToolOffer): string {
  const all = `${counted(tools, "tool")}, ${counted(characters, "character")}`;
  return servers === 0 ? all : `${all}, and what ${counted(servers, "MCP server")} ${servers === 1 ? "lists" : "list"}`;
}

/** What is to be said of a list that is longer than agents are shown where the configuration leaves that to the gateway. */
export function longListText(offer: ToolOffer): string | undefined {
  const { agentsSee, search, characters } = offer;
  if (agentsSee !== "tools" || characters <= MAX_LISTED_LENGTH) return undefined;
  return `mcpProvider.catalog.search: with ${search} agents are shown ${allText(offer)}: more than many models read`;
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
