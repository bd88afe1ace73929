/** A JSON object. */
export type JsonObject = { readonly [key: string]: unknown };
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

export interface RpcResponse {
  readonly kind: "response";
  readonly id: RequestId;
  readonly result: unknown;
  readonly error: unknown;
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** MCP 2026-07-28, Base Protocol, Error Codes. */
export const HEADER_MISMATCH = -32020;
export const MISSING_CAPABILITY = -32021;
export const UNSUPPORTED_VERSION = -32022;

/** Answers a request with a JSON-RPC error; where the answer has no stream yet, with the HTTP status as well. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: JsonObject | undefined;
  constructor(code: number, message: string, data?: JsonObject) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
  }
}

/** What a body says; undefined for what is no single message of JSON-RPC 2.0. */
export function readMessage(body: unknown): RpcMessage | undefined {
  if (!isObject(body) || body.jsonrpc !== "2.0") return undefined;
  const { id, method, params = {}, result, error } = body;
  const hasId = typeof id === "string" || Number.isInteger(id);
  if (method === undefined) {
    if (!hasId || (result === undefined) === (error === undefined)) return undefined;
    return { kind: "response", id: id as RequestId, result, error };
  }
  if (typeof method !== "string" || !isObject(params)) return undefined;
  if (id === undefined) return { kind: "notification", method, params };
  return hasId ? { kind: "request", id: id as RequestId, method, params } : undefined;
}

export function resultMessage(id: RequestId, result: JsonObject): JsonObject {
  return { jsonrpc: "2.0", id, result };
}

export function notificationMessage(method: string, params: JsonObject): JsonObject {
  return { jsonrpc: "2.0", method, params };
}

export function errorMessage(id: RequestId | null, { code, message, data }: RpcError): JsonObject {
  return { jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object that a field holds; empty for anything else. */
export function objectAt(value: JsonObject, key: string): JsonObject {
  const held = value[key];
  return isObject(held) ? held : {};
}
