import type { Gateway } from "../gateway/gateway.ts";
import type { ListingCaller } from "../gateway/list-tools.ts";
import { agentSideOf } from "./agent-side.ts";
import { type MethodContext, policyCaller } from "./caller.ts";
import type { RpcRequest } from "./message.ts";

/** Whom lists are made for: policies decide on them, and upstream MCP servers are asked on their behalf. */
export function listingCaller(message: RpcRequest, context: MethodContext, gateway: Gateway): ListingCaller {
  const { token, signal } = context;
  return { ...policyCaller(message, context), token, signal, agent: agentSideOf(message, context, gateway) };
}
