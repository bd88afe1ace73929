import { isJsonObject } from "../json.ts";

/** What an upstream refused an HTTP request or `initialize` with. */
export interface Refused {
  readonly status: number;
  /** A JSON-RPC error. */
  readonly error?: unknown;
  readonly headers?: Headers;
}

/** The upstream answered, and would not do it. */
export class UpstreamRefusal extends Error {
  readonly status: number;
  /** Absent: it gave no JSON-RPC error. */
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined;
  /** Some servers begin a session and refuse what came without one. */
  readonly sessionId: string | undefined;
  constructor({ status, error, headers }: Refused) {
    super(`The upstream refused with the status ${status}.`);
    this.name = "UpstreamRefusal";
    this.status = status;
    this.error = readError(error);
    this.sessionId = headers?.get("mcp-session-id") ?? undefined;
  }
}

function readError(error: unknown): UpstreamRefusal["error"] {
  if (!isJsonObject(error) || typeof error.code !== "number" || typeof error.message !== "string") return undefined;
  const { code, message, data } = error;
  return { code, message, ...(data !== undefined && { data }) };
}
