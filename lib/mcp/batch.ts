import { INVALID_REQUEST, jsonRpcError } from "./json-rpc.ts";

/** The one revision of MCP with batches; a request without the header is of it (MCP 2025-06-18, Transports). */
const REVISION = "2025-03-26";
/** Each call of a batch is authorized, recorded and made; one HTTP request causes no more than these. */
const MAX_MESSAGES = 20;

/** Refuses a batch of a revision without batches, and one that is too long. */
export function refuseBatch(request: Request, message: unknown): Response | undefined {
  if (!Array.isArray(message)) return undefined;
  const revision = request.headers.get("mcp-protocol-version") ?? REVISION;
  if (revision !== REVISION) return jsonRpcError(400, INVALID_REQUEST, "This revision of MCP has no batches.");
  if (message.length <= MAX_MESSAGES) return undefined;
  return jsonRpcError(400, INVALID_REQUEST, `A batch has at most ${MAX_MESSAGES} messages.`);
}
