import { isJsonObject } from "../kernel/json.ts";
import { HEADER_MISMATCH, METHOD_NOT_FOUND, UNSUPPORTED_VERSION } from "../protocol/mcp/json-rpc.ts";
import type { Generation } from "./generations.ts";

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
  /** What it wants of the credential (RFC 9110 §11.6.1). */
  readonly challenge: string | undefined;
  constructor({ status, error, headers }: Refused) {
    super(`The upstream refused with the status ${status}.`);
    this.name = "UpstreamRefusal";
    this.status = status;
    this.error = readError(error);
    this.sessionId = headers?.get("mcp-session-id") ?? undefined;
    this.challenge = headers?.get("www-authenticate") ?? undefined;
  }
}

function readError(error: unknown): UpstreamRefusal["error"] {
  if (!isJsonObject(error) || typeof error.code !== "number" || typeof error.message !== "string") return undefined;
  const { code, message, data } = error;
  return { code, message, ...(data !== undefined && { data }) };
}

/**
 * Whether an answer comes of something in front of the upstream, which has none of the upstream's (RFC 9110 §15.6). Cloudflare has
 * statuses of its own for a server that does not answer it: 520 to 526, and 530.
 */
export function isGatewayError(status: number): boolean {
  return [502, 503, 504, 530].includes(status) || (status >= 520 && status <= 526);
}

/** Of these the ones after which nobody knows whether the upstream had the request: 503 is sent instead of passing it on. */
export function mayHavePassedOn(status: number): boolean {
  return isGatewayError(status) && ![503, 521, 523, 525, 526, 530].includes(status);
}

/** The credential, the load, or the state of what is in front of the server: nothing that tells of a generation. */
export function isAboutCaller({ status }: UpstreamRefusal): boolean {
  return [401, 403, 407, 408, 429].includes(status) || isGatewayError(status);
}

/**
 * Whether an upstream may have refused a request because of its generation, before anything was carried out. Errors that came with
 * a success are a method's own; for others servers of the field have many words.
 *
 * @param cause what was thrown
 */
export function mayRefuseGeneration(cause: unknown, generation: Generation): boolean {
  if (!(cause instanceof UpstreamRefusal)) return false;
  const { status, error } = cause;
  if (error?.code === UNSUPPORTED_VERSION || namesRevisions(error?.data)) return true;
  if (![400, 404, 405].includes(status)) return false;
  if (error === undefined || error.code === METHOD_NOT_FOUND) return true;
  return generation === "session" ? error.code === HEADER_MISMATCH : SESSION_WANTED.test(error.message);
}

/** "Server not initialized", "Mcp-Session-Id header is required", "Missing session ID", "Unsupported protocol version". */
const SESSION_WANTED = /session|initiali[sz]|protocol.?version/i;

function namesRevisions(data: unknown): boolean {
  return isJsonObject(data) && Array.isArray(data.supported);
}
