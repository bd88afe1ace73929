import type { Gateway } from "../../gateway/gateway.ts";
import { sourceKey } from "../../net/source.ts";
import type { Caller } from "../caller.ts";
import { jsonRpcError, REFUSED } from "../json-rpc.ts";
import type { RequestId } from "../message.ts";
import { principalOf } from "./principal.ts";

/** Whether a caller, or an address where nobody is authenticated, may begin one more session; if so, that counts. */
export function mayStart(
  { identity, request }: Pick<Caller, "identity" | "request">,
  { sessionStarts }: Pick<Gateway, "sessionStarts">,
): boolean {
  return sessionStarts.take(identity === undefined ? sourceKey(request.remoteAddress) : principalOf(identity));
}

/** RFC 6585 §4. */
export function tooManyStarts(id: RequestId | null): Response {
  const headers = { "retry-after": "1" };
  return jsonRpcError(429, REFUSED, "Sessions are begun too fast; try again in a second.", { id, headers });
}
