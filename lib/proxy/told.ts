import type { JsonObject } from "../json.ts";
import type { Upstream } from "./upstream.ts";

/** A notification of an upstream goes to the agent as it is, with the names that the agent knows. */
export function toldByUpstream(message: JsonObject, { agent }: Upstream): void {
  agent.relay(message);
}
