import { isJsonObject } from "../../json.ts";
import { PROTOCOL_VERSION } from "../meta.ts";
import { isOfStatelessGeneration } from "../revisions.ts";

/**
 * Whether a message belongs to the stateless generation: it says so itself, in `_meta`, or its header names a revision of
 * that generation, which is never treated as old. Notifications have no `_meta` of that kind, so that the header decides.
 */
export function isStateless(request: Request, body: unknown): boolean {
  return claims(body) || (!isResponse(body) && isOfStatelessGeneration(request.headers.get("mcp-protocol-version")));
}

function claims(body: unknown): boolean {
  if (Array.isArray(body)) return body.some(claims);
  const params = isJsonObject(body) ? body.params : undefined;
  const meta = isJsonObject(params) ? params._meta : undefined;
  return isJsonObject(meta) && meta[PROTOCOL_VERSION] !== undefined;
}

/** No generation without a handshake has requests of the server that would be answered. */
function isResponse(body: unknown): boolean {
  return isJsonObject(body) && body.method === undefined && ("result" in body || "error" in body);
}
