import { META_TOOL_NAMES } from "../../../../lib/config/meta-tool-names.ts";
import { valueAt } from "../../../../lib/config/path.ts";
import type { ToolSource } from "./tool-apps.ts";

/** How agents get at the tools. */
export interface ToolOffer {
  /** What `tools/list` has for whoever may see every tool: all, or those that search for them; null: a placeholder decides. */
  readonly agentsSee: "tools" | "search" | "nothing" | null;
  /** `mcpProvider.catalog`, its defaults in place; null is a placeholder. */
  readonly search: string | null;
  readonly threshold: number | null;
}

const DEFAULTS = { search: "auto", threshold: 150 };

/** @param count how many tools the gateway has, all apps together */
export function offerOf({ mcpProvider, isConfiguration }: ToolSource, count: number): ToolOffer {
  const { search = DEFAULTS.search, threshold = DEFAULTS.threshold } = Object(valueAt(mcpProvider, ["catalog"]));
  const enabled = isConfiguration ? valueAt(mcpProvider, ["enabled"]) : true;
  return {
    agentsSee: enabled === true ? seen(search, threshold, count) : enabled === null ? null : "nothing",
    search,
    threshold,
  };
}

function seen(search: unknown, threshold: unknown, count: number): ToolOffer["agentsSee"] {
  if (search === "on") return "search";
  if (search === "off") return "tools";
  if (search !== "auto" || typeof threshold !== "number") return null;
  return count > threshold ? "search" : "tools";
}

/** `agents see them all (catalog.search: auto, threshold 150)` */
export function offerText({ agentsSee, search, threshold }: ToolOffer): string {
  if (agentsSee === "nothing") return "agents see none of them: mcpProvider is not enabled";
  const settings = `catalog.search: ${search ?? "filled at start"}, threshold ${threshold ?? "filled at start"}`;
  const what = { tools: "them all", search: listed(META_TOOL_NAMES) };
  return agentsSee === null
    ? `what agents see is decided at start (${settings})`
    : `agents see ${what[agentsSee]} (${settings})`;
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
