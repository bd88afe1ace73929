import { sourceKey } from "../../net/source.ts";
import type { Caller } from "../caller.ts";
import { principalOf } from "./principal.ts";

/** Whose share of the instance a request uses: its caller's, or its address's where nobody is authenticated. */
export function callerKey({ identity, request }: Pick<Caller, "identity" | "request">): string {
  return identity === undefined ? sourceKey(request.remoteAddress) : principalOf(identity);
}
