import { INVALID_REQUEST, jsonRpcError } from "./json-rpc.ts";
import { isSessionRevision, SESSION_REVISIONS } from "./revisions.ts";

/** The revision that a request of a session names (MCP 2025-11-25, Transports, Protocol Version Header). */
export function namedRevision({ headers }: Request): string | undefined {
  return headers.get("mcp-protocol-version") ?? undefined;
}

/**
 * Refuses a request of a session that names a revision which is not served. It need not be the session's own, as clients name
 * others that they speak as well, and may be left out.
 */
export function refuseNamedRevision(request: Request): Response | undefined {
  const named = namedRevision(request);
  if (named === undefined || isSessionRevision(named)) return undefined;
  const accepted = SESSION_REVISIONS.join(", ");
  return jsonRpcError(400, INVALID_REQUEST, `This MCP-Protocol-Version is not served here; accepted: ${accepted}.`);
}
