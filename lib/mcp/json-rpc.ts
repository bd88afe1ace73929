import { isJsonObject } from "../json.ts";

/** JSON-RPC 2.0 §5.1 codes, and those that MCP adds. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** MCP 2026-07-28: a header says something else than the body. */
export const HEADER_MISMATCH = -32020;
/** Implementation-defined; what the SDK uses for refusals below the protocol. */
export const REFUSED = -32000;

/** An HTTP answer with a JSON-RPC error that belongs to no readable request. */
export function jsonRpcError(
  status: number,
  code: number,
  message: string,
  options: { readonly id?: string | number | null; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const body = { jsonrpc: "2.0", id: options.id ?? null, error: { code, message } };
  return Response.json(body, { status, headers: { "cache-control": "no-store", ...options.headers } });
}

/** The id to answer to: only a single request has one. */
export function idOf(message: unknown): string | number | null {
  const id = isJsonObject(message) ? message.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
