import { isJsonObject } from "../json.ts";
import { HEADER_MISMATCH, METHOD_NOT_FOUND, UNSUPPORTED_VERSION } from "../mcp/json-rpc.ts";
import { isGatewayError } from "./gateway-status.ts";
import type { Generation } from "./generations.ts";
import { UpstreamRefusal } from "./refusal.ts";

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
