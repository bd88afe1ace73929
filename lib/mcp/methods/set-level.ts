import type { Gateway } from "../../gateway/gateway.ts";
import { setUpstreamLevels } from "../../gateway/proxied/upstream-levels.ts";
import { MCP_LOG_LEVELS, type McpLogLevel } from "../../stores/mcp-sessions.ts";
import type { MethodContext } from "../caller.ts";
import { INVALID_PARAMS, RpcError, SESSION_NOT_FOUND } from "../json-rpc.ts";
import type { RpcRequest } from "../message.ts";
import { type MethodAnswer, resultAnswer } from "./method-answer.ts";

/** `logging/setLevel`: from now on the session's calls tell of this level and above (MCP 2025-11-25, Logging). */
export async function setLevel({ params }: RpcRequest, caller: MethodContext, gateway: Gateway): Promise<MethodAnswer> {
  const { session } = caller;
  if (!isLogLevel(params.level)) {
    throw new RpcError(INVALID_PARAMS, `params.level must be one of ${MCP_LOG_LEVELS.join(", ")}.`);
  }
  // Without a session there is nothing to keep it in; the capability is not declared then, and nothing is logged.
  if (session === undefined) return resultAnswer({});
  const { stores, clock } = gateway.dependencies;
  const isSet = await stores.mcpSessions.setLogLevel(session.reference, params.level, clock.now());
  if (!isSet) throw new RpcError(SESSION_NOT_FOUND, "The session is over.");
  await setUpstreamLevels(params.level, { ...caller, session }, gateway);
  return resultAnswer({});
}

export function isLogLevel(value: unknown): value is McpLogLevel {
  return MCP_LOG_LEVELS.some((level) => level === value);
}
