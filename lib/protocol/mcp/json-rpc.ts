import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { isRequestId, type RequestId } from "./message.ts";

/** JSON-RPC 2.0 §5.1 codes, and those that MCP adds. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** MCP 2026-07-28: a header says something else than the body, or is missing. */
export const HEADER_MISMATCH = -32020;
/** MCP 2026-07-28: `data.requiredCapabilities` says what the client has to declare. */
export const MISSING_CAPABILITY = -32021;
/** MCP 2026-07-28: `data.supported` names the revisions that are served. */
export const UNSUPPORTED_VERSION = -32022;
/** MCP 2025-11-25, Elicitation, Error Handling: `data.elicitations` says what the person has to do at which URLs. */
export const URL_ELICITATION_REQUIRED = -32042;
/** MCP 2025-11-25, Resources, Error Handling. */
export const RESOURCE_NOT_FOUND = -32002;
/** Implementation-defined; what servers of the field use for refusals below the protocol. */
export const REFUSED = -32000;
/** Likewise, for a session that is not known or over. */
export const SESSION_NOT_FOUND = -32001;

/** Why a request is not carried out: the error of its answer. The message may leave the process. */
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

/** An HTTP answer with a JSON-RPC error. */
export function jsonRpcError(
  status: number,
  code: number,
  message: string,
  options: {
    readonly id?: RequestId | null;
    readonly data?: JsonObject | undefined;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Response {
  const { id = null, data, headers } = options;
  const body = { jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } };
  return Response.json(body, { status, headers: { "cache-control": "no-store", ...headers } });
}

/** The answer to a request that succeeded. */
export function resultMessage(id: RequestId, result: JsonObject): JsonObject {
  return { jsonrpc: "2.0", id, result };
}

/** The answer to a request that failed. */
export function errorMessage(id: RequestId, { code, message, data }: RpcError): JsonObject {
  return { jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } };
}

export function notificationMessage(method: string, params?: JsonObject): JsonObject {
  return { jsonrpc: "2.0", method, ...(params !== undefined && { params }) };
}

/** The id to answer to: only a single request has one. */
export function idOf(message: unknown): RequestId | null {
  const id = isJsonObject(message) ? message.id : undefined;
  return isRequestId(id) ? id : null;
}
