import type { Gateway } from "../../gateway/gateway.ts";
import type { Caller } from "../caller.ts";
import { jsonRpcError, REFUSED } from "../json-rpc.ts";
import type { RequestId } from "../message.ts";
import { callerKey } from "./caller-key.ts";

/** Whether a caller, or an address where nobody is authenticated, may begin one more session; if so, that counts. */
export function mayStart(
  caller: Pick<Caller, "identity" | "request">,
  { sessionStarts }: Pick<Gateway, "sessionStarts">,
): boolean {
  return sessionStarts.take(callerKey(caller));
}

/** RFC 6585 §4. */
export function tooManyStarts(id: RequestId | null): Response {
  const headers = { "retry-after": "1" };
  return jsonRpcError(429, REFUSED, "Sessions are begun too fast; try again in a second.", { id, headers });
}
