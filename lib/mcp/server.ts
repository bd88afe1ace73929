import { type CallToolResult, type ListToolsResult, ProtocolError, Server } from "@modelcontextprotocol/server";
import { callTool } from "../gateway/call-tool.ts";
import type { Gateway, ToolCall } from "../gateway/gateway.ts";
import { GatewayError } from "../gateway/gateway-error.ts";
import { listTools } from "../gateway/list-tools.ts";
import { stackOf } from "../logging/cause.ts";
import { INTERNAL_ERROR, INVALID_PARAMS } from "./json-rpc.ts";
import type { Operations } from "./operations.ts";

/** What a call inherits from the HTTP request that carries it. */
export interface Caller extends Pick<ToolCall, "identity" | "request" | "signal"> {
  readonly operations: Operations;
}

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** How long a client of the stateless generation may keep a list; it depends on the caller. */
const LIST_CACHE = { ttlMs: 60_000, cacheScope: "private" } as const;

/** The MCP server of one request: no session, no state between requests, raw JSON Schema. */
export function createServer(info: ServerInfo, gateway: Gateway, caller: Caller): Server {
  const server = new Server({ ...info }, { capabilities: { tools: {} }, cacheHints: { "tools/list": LIST_CACHE } });
  server.setRequestHandler("tools/list", async () => {
    return { tools: [...(await listTools(caller.identity, gateway))] } as ListToolsResult;
  });
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const { identity, operations } = caller;
    const signal = AbortSignal.any([caller.signal, mcpReq.signal]);
    const request = operations.contextOf(mcpReq.id);
    const call: ToolCall = { identity, request, name: params.name, arguments: params.arguments, signal };
    const fail = (errorType: string) => operations.fail(mcpReq.id, errorType);
    return (await answer(call, gateway, fail)) as CallToolResult;
  });
  return server;
}

async function answer(call: ToolCall, gateway: Gateway, fail: (errorType: string) => void) {
  try {
    const result = await callTool(call, gateway);
    if (result.isError === true) fail("tool_error");
    return result;
  } catch (cause) {
    const error = protocolError(cause, call);
    fail(String(error.code));
    throw error;
  }
}

function protocolError(cause: unknown, call: ToolCall): ProtocolError {
  if (cause instanceof GatewayError) {
    return new ProtocolError(cause.code === "not_recorded" ? INTERNAL_ERROR : INVALID_PARAMS, cause.message);
  }
  call.request.logger.error("tool call failed", { tool: call.name, cause: stackOf(cause) });
  return new ProtocolError(INTERNAL_ERROR, "The call could not be completed.");
}
