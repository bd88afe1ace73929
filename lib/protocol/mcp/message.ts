import { isJsonObject, type JsonObject } from "../../kernel/json.ts";

/** A JSON-RPC 2.0 message as MCP restricts it: ids are texts or integers, `params` is an object. */
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse | RpcUnread;

export type RequestId = string | number;

export interface RpcRequest {
  readonly kind: "request";
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
}

export interface RpcNotification {
  readonly kind: "notification";
  readonly method: string;
  readonly params: JsonObject;
}

/** The answer to a request of ours. */
export interface RpcResponse {
  readonly kind: "response";
  readonly id: RequestId;
  /** All of it, with `result` or `error`. */
  readonly message: JsonObject;
}

/** An error for what the sender could not read, and so of no request (JSON-RPC 2.0 §5; MCP 2025-11-25 lets the id be absent). */
export interface RpcUnread {
  readonly kind: "unread";
}

/** Undefined when the value is no such message. */
export function readRpcMessage(value: unknown): RpcMessage | undefined {
  if (!isJsonObject(value) || value.jsonrpc !== "2.0") return undefined;
  const { id, method, params = {} } = value;
  if (method === undefined) {
    if (!isOutcome(value)) return undefined;
    if ((id === undefined || id === null) && isJsonObject(value.error)) return { kind: "unread" };
    return isRequestId(id) ? { kind: "response", id, message: value } : undefined;
  }
  if (typeof method !== "string" || !isJsonObject(params)) return undefined;
  if (id === undefined) return { kind: "notification", method, params };
  return isRequestId(id) ? { kind: "request", id, method, params } : undefined;
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** Members of `params._meta`; none where there is no such object. */
export function metaOf(params: JsonObject): JsonObject {
  return isJsonObject(params._meta) ? params._meta : {};
}

function isOutcome({ result, error }: JsonObject): boolean {
  return (result === undefined) !== (error === undefined);
}
