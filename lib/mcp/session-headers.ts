import { INVALID_REQUEST, jsonRpcError, RpcError } from "../protocol/mcp/json-rpc.ts";
import type { RpcMessage } from "../protocol/mcp/message.ts";
import { isSessionRevision, SESSION_REVISIONS } from "../protocol/mcp/revisions.ts";
import { refuseMismatch } from "./stateless/headers.ts";

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

/**
 * The refusal of a request whose headers say something else than its messages. Clients of the revisions with a handshake
 * send no such headers: one that is there and differs was put there to mislead (checklist 26).
 */
export function refuseOtherHeaders(request: Request, messages: readonly RpcMessage[]): Response | undefined {
  try {
    for (const message of messages) if ("method" in message) refuseMismatch(request, message);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    const [only] = messages.length === 1 ? messages : [];
    const id = only?.kind === "request" ? only.id : null;
    return jsonRpcError(400, cause.code, cause.message, { id, data: cause.data });
  }
}
