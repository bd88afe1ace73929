import type { Gateway } from "./gateway.ts";
import { hiddenTools } from "./hidden-tools.ts";
import type { PolicyCaller } from "./policy-input.ts";
import type { LocatedTool } from "./tool-index.ts";
import { visibleApps } from "./visible-app.ts";

type Deciding = Pick<Gateway, "policies" | "mcpProvider" | "organizationOf">;

/** Those of the tools that the caller may see, in their order: of its organization (D32), and hidden by no policy. */
export async function visibleTools(
  tools: readonly LocatedTool[],
  caller: PolicyCaller,
  gateway: Deciding,
): Promise<readonly LocatedTool[]> {
  const candidates = await ofVisibleApps(tools, caller, gateway);
  const hidden = await hiddenTools(candidates, caller, gateway);
  return candidates.filter((located) => !hidden.has(located));
}

/** Candidates for each tool that is wanted, so that mostly one request to a policy's server is enough. */
const SPARE = 5;

/** The first of the tools that the caller may see. Policies are asked about a part of them, and about all others at most once more. */
export async function firstVisible(
  tools: readonly LocatedTool[],
  count: number,
  caller: PolicyCaller,
  gateway: Deciding,
): Promise<readonly LocatedTool[]> {
  const candidates = await ofVisibleApps(tools, caller, gateway);
  const first = await visibleTools(candidates.slice(0, count * SPARE), caller, gateway);
  if (first.length >= count) return first.slice(0, count);
  const others = await visibleTools(candidates.slice(count * SPARE), caller, gateway);
  return [...first, ...others].slice(0, count);
}

async function ofVisibleApps(
  tools: readonly LocatedTool[],
  { identity }: PolicyCaller,
  gateway: Deciding,
): Promise<readonly LocatedTool[]> {
  const visible = await visibleApps(new Set(tools.map(({ app }) => app)), identity, gateway);
  return tools.filter(({ app }) => visible.has(app));
}
