import type { JsonObject } from "../../json.ts";
import type { Upstream } from "../upstream.ts";
import { connectionKey } from "./session-key.ts";

/**
 * Posts what the agent's session has to tell an upstream: an answer to a request of the upstream, under the upstream's own id, or
 * a notification. Resolves to false where no connection of the session is open here, and the upstream waits for nothing.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function postOnConnection(message: JsonObject, upstream: Upstream): Promise<boolean> {
  const { agent, shared } = upstream;
  if (agent.session === undefined) return false;
  const lease = shared.dependencies.upstreamConnections?.use(connectionKey(agent.session, upstream));
  if (lease === undefined) return false;
  try {
    await lease.connection.tell(message, upstream);
    return true;
  } finally {
    lease.end();
  }
}
