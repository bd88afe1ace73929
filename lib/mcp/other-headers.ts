import { jsonRpcError, RpcError } from "./json-rpc.ts";
import type { RpcMessage } from "./message.ts";
import { refuseMismatch } from "./stateless/headers.ts";

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
