import type { Gateway } from "./gateway.ts";
import type { ListedTool } from "./listed-tool.ts";
import type { PolicyCaller } from "./policy-input.ts";
import { META_TOOLS } from "./search/meta-tools.ts";
import { visibleTools } from "./visible-tools.ts";

/**
 * Every tool of the apps that the agent may see (D32) that no policy hides; where they are many or long, three to search them
 * with (D101, D107). Scopes do not hide, a step-up can reach them (D26).
 */
export async function listTools(
  caller: PolicyCaller,
  gateway: Pick<Gateway, "tools" | "policies" | "mcpProvider" | "organizationOf" | "search">,
): Promise<readonly ListedTool[]> {
  const { tools, search } = gateway;
  if (search !== undefined && search.above < 0) return META_TOOLS;
  const visible = await visibleTools([...tools.values()], caller, gateway);
  if (search !== undefined && (visible.length > search.above || search.isLong(visible))) return META_TOOLS;
  return visible.map(({ listed }) => listed());
}
