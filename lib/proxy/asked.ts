import type { JsonObject } from "../json.ts";
import type { RpcRequest } from "../mcp/message.ts";
import type { Deadline } from "./deadline.ts";
import { agentFacingId } from "./request-ids.ts";
import type { Upstream } from "./upstream.ts";

/** How long a person may take, milliseconds. */
export const PERSON_PATIENCE = 5 * 60_000;

/** A request of an upstream goes to the agent, whose answer comes as a request of its own. */
export function askedByUpstream(asked: RpcRequest, message: JsonObject, upstream: Upstream, deadline: Deadline): void {
  const { agent, app } = upstream;
  deadline.extend(PERSON_PATIENCE);
  agent.relay({ ...message, id: agentFacingId(app.name, asked.id) });
}
