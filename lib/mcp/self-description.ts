import type { Gateway } from "../gateway/gateway.ts";
import { introduceUpstreams } from "../gateway/proxied/introduce.ts";
import type { JsonObject } from "../json.ts";
import { mergedInstructions } from "../proxy/channel/merged-instructions.ts";
import type { Caller } from "./caller.ts";
import { capabilities, type Served } from "./capabilities.ts";

/** What clients may count on, and what their models should know: of the gateway, and of the upstreams that the caller may see. */
export async function selfDescription(served: Served, caller: Caller, gateway: Gateway): Promise<JsonObject> {
  const introduced = gateway.proxies.apps.length === 0 ? [] : await introduceUpstreams(caller, gateway);
  const instructions = mergedInstructions(
    introduced.map(({ app, said }) => ({ app: app.name, instructions: said?.instructions })),
  );
  return {
    capabilities: capabilities(served, { hasOwnTools: gateway.tools.size > 0, introduced }),
    ...(instructions !== undefined && { instructions }),
  };
}
