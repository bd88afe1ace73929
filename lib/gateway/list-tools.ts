import type { McpBridgeAppConfiguration } from "../config/app-configuration.ts";
import type { Gateway } from "./gateway.ts";
import { hiddenTools } from "./hidden-tools.ts";
import type { PolicyCaller } from "./policy-input.ts";
import type { LocatedTool } from "./tool-index.ts";
import { isVisible } from "./visible-app.ts";

/**
 * Every tool of the apps that the agent may see (D32) that no policy hides. Scopes do not hide, a step-up can reach them
 * (D26).
 */
export async function listTools(
  caller: PolicyCaller,
  gateway: Pick<Gateway, "tools" | "policies" | "mcpProvider" | "organizationOf">,
): Promise<readonly LocatedTool[]> {
  const tools = [...gateway.tools.values()];
  const visible = new Set<McpBridgeAppConfiguration>();
  for (const app of new Set(tools.map(({ app }) => app))) {
    if (await isVisible(app, caller.identity, gateway)) visible.add(app);
  }
  const candidates = tools.filter(({ app }) => visible.has(app));
  const hidden = await hiddenTools(candidates, caller, gateway);
  return candidates.filter((located) => !hidden.has(located));
}
