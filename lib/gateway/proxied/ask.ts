import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import type { Random } from "../../kernel/random.ts";
import type { InstancePins } from "../../pins/instance-pins.ts";
import { createAskAs } from "../../upstream/ask.ts";
import type { Ask } from "../../upstream/catalog/read-list.ts";
import type { VisibilityPorts } from "../decision/locate.ts";
import type { Proxies } from "./proxies.ts";
import type { UpstreamCaller } from "./reach-upstream.ts";
import { appCredential, appDestination, type ForwardingPorts, forwardRequest } from "./reach-upstream.ts";

/** What it takes to ask the upstream MCP servers that an agent may see. */
export type ProxyPorts = ForwardingPorts &
  VisibilityPorts & {
    readonly proxies: Proxies;
    readonly random: Random;
    readonly pins: Pick<InstancePins, "listed">;
  };

/**
 * Asks an upstream on behalf of an agent for what the gateway itself needs to know, and reads the answer as a whole. Rejects
 * with `RpcError` where the upstream answers with an error.
 */
export function createAsk(
  app: McpProxyAppConfiguration,
  caller: UpstreamCaller,
  ports: ForwardingPorts & { readonly random: Random },
): Ask {
  return createAskAs(caller.agent, ports.random, async (request, agent) => {
    const credential = await appCredential(app, caller, ports);
    return forwardRequest(request, appDestination(app), credential, { ...caller, agent }, ports);
  });
}
