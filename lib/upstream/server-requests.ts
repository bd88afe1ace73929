import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { METHOD_NOT_FOUND } from "../protocol/mcp/json-rpc.ts";
import { isRequestId, type RpcRequest } from "../protocol/mcp/message.ts";
import { mayBeAsked } from "./across-generations/input-requests.ts";
import type { Deadline } from "./deadline.ts";
import type { Respond } from "./deliver.ts";
import { wrappedMessage } from "./names/rules-of.ts";
import { agentFacingId } from "./request-ids.ts";
import type { SpokenUpstream } from "./spoken-upstream.ts";

/** How long a person may take, milliseconds. */
export const PERSON_PATIENCE = 5 * 60_000;

/**
 * A request of an upstream goes to the agent, whose answer comes as a request of its own. What the agent cannot be asked is
 * refused at once: the upstream would wait for nothing.
 *
 * @param deadline of the agent's request that the upstream asks on behalf of; absent: of none
 */
export function relayServerRequest(
  asked: RpcRequest,
  message: JsonObject,
  respond: Respond | undefined,
  upstream: SpokenUpstream,
  deadline?: Pick<Deadline, "extend">,
): void {
  const { agent, app, request } = upstream;
  if (respond === undefined) {
    // MCP 2026-07-28, Transports: servers send no requests.
    request.logger.debug("an upstream asked what it may not ask", { app: app.name });
  } else if (asked.method === "ping") {
    respond({ result: {} });
  } else if (!agent.hearsRequests || !mayBeAsked(asked.method, agent.clientCapabilities)) {
    respond({ error: { code: METHOD_NOT_FOUND, message: "The client cannot be asked this." } });
  } else {
    deadline?.extend(PERSON_PATIENCE);
    agent.relay(askedOfAgent(asked, message, upstream));
  }
}

function askedOfAgent({ id }: RpcRequest, message: JsonObject, { app }: SpokenUpstream): JsonObject {
  const wrapped = wrappedMessage(message, app);
  const params = isJsonObject(wrapped.params) ? wrapped.params : undefined;
  const meta = isJsonObject(params?._meta) ? params._meta : undefined;
  const withId = { ...wrapped, id: agentFacingId(app.name, id) };
  if (!isRequestId(meta?.progressToken)) return withId;
  const progressToken = agentFacingId(app.name, meta.progressToken);
  return { ...withId, params: { ...params, _meta: { ...meta, progressToken } } };
}
