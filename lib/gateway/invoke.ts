import type { Invocation } from "../bridge/response/invocation.ts";
import type { ForwardedCall } from "../proxy/forwarded.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import { invokeBridged } from "./invoke-bridged.ts";
import { invokeProxied } from "./invoke-proxied.ts";
import type { OutboundCredential } from "./obtain-credential.ts";
import type { LocatedTool } from "./tool-index.ts";

/** Makes the call, whatever kind of upstream it goes to. Whatever goes wrong there is a result that says so. */
export function invoke(
  located: LocatedTool,
  credential: OutboundCredential,
  call: ToolCall,
  gateway: Gateway,
): Promise<Invocation | ForwardedCall> {
  return located.kind === "bridge"
    ? invokeBridged(located, credential, call, gateway)
    : invokeProxied(located, credential, call, gateway);
}
