import type { ToolCall } from "../gateway/gateway.ts";
import { isJsonObject } from "../json.ts";
import type { Caller } from "./server.ts";

/** The `tools/call` requests in a message; revision 2025-03-26 has batches. */
export function toolCallsOf(message: unknown, { identity, request, signal }: Caller): readonly ToolCall[] {
  const messages: readonly unknown[] = Array.isArray(message) ? message : [message];
  return messages
    .filter(isToolCall)
    .map(({ params }) => ({ identity, request, signal, name: params.name, arguments: params.arguments }));
}

function isToolCall(
  message: unknown,
): message is { readonly params: { readonly name: string; readonly arguments?: unknown } } {
  if (!isJsonObject(message) || message.method !== "tools/call" || !isJsonObject(message.params)) return false;
  return typeof message.params.name === "string";
}
