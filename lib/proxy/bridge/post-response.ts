import type { JsonObject } from "../../json.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import { notify } from "../session/open.ts";
import type { SpokenUpstream } from "../upstream.ts";

/**
 * Brings an upstream the agent's answer to what it asked. Resolves when it has taken it.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export function postResponse(
  session: UpstreamSession,
  response: Pick<JsonObject, "id" | "result">,
  upstream: SpokenUpstream,
  deadline: AbortSignal,
): Promise<void> {
  return notify(session, response, upstream, AbortSignal.any([upstream.signal, deadline]));
}
