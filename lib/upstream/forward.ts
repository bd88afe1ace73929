import { requestInOwnSession } from "./across-generations/own-session.ts";
import { requestWithEnvelope } from "./across-generations/with-envelope.ts";
import type { UpstreamAnswer } from "./answer.ts";
import { isSubscribing, subscribedByListening, subscribedInSession } from "./channel/subscriptions.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import type { Listener } from "./deliver.ts";
import { generationOf, otherGeneration } from "./generation.ts";
import type { Generation } from "./generations.ts";
import { guarded } from "./guard/guarded.ts";
import { withoutLookalikes } from "./names/without-lookalikes.ts";
import { relayNotification } from "./notifications.ts";
import { mayRefuseGeneration } from "./refusal.ts";
import { requestWithState } from "./request-state/request-with-state.ts";
import { relayServerRequest } from "./server-requests.ts";
import { requestInSession } from "./session/session-request.ts";
import type { UpstreamRequest } from "./spoken-upstream.ts";
import { requestOverSSE } from "./sse/sse-request.ts";
import type { Upstream } from "./upstream.ts";

/**
 * Sends a request of an agent to an upstream, and what the upstream says meanwhile to the agent. Both mostly speak the same
 * generation of MCP; where they do not, the request is carried over.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export function forward(request: UpstreamRequest, upstream: Upstream): Promise<UpstreamAnswer> {
  return guarded(upstream, async (lease) => {
    const deadline = startDeadline(upstream.app.timeout, () => lease.end("answered"));
    try {
      return await send({ ...request, params: withoutLookalikes(request.params) }, upstream, deadline);
    } finally {
      deadline.end();
    }
  });
}

async function send(request: UpstreamRequest, upstream: Upstream, deadline: Deadline): Promise<UpstreamAnswer> {
  const listener: Listener = {
    notified: (message) => relayNotification(message, upstream),
    asked: (asked, message, respond) => relayServerRequest(asked, message, respond, upstream, deadline),
  };
  if (upstream.app.transport === "sse") return requestOverSSE(request, upstream, listener, deadline);
  const generation = await generationOf(upstream, deadline);
  try {
    return await sendAs(generation, request, upstream, listener, deadline);
  } catch (cause) {
    const other = mayRefuseGeneration(cause, generation) ? await otherGeneration(generation, upstream) : undefined;
    if (other === undefined) throw cause;
    return sendAs(other, request, upstream, listener, deadline);
  }
}

async function sendAs(
  generation: Generation,
  request: UpstreamRequest,
  upstream: Upstream,
  listener: Listener,
  deadline: Deadline,
): Promise<UpstreamAnswer> {
  const { agent } = upstream;
  const { session } = agent;
  if (generation === "stateless") {
    if (agent.generation === "stateless") return requestWithState(request, upstream, listener, deadline);
    return session !== undefined && isSubscribing(request)
      ? subscribedByListening(session, request, upstream)
      : requestWithEnvelope(request, upstream, listener, deadline);
  }
  if (session === undefined) return requestInOwnSession(request, upstream, listener, deadline);
  const answering = requestInSession(session, request, upstream, listener, deadline);
  return isSubscribing(request) ? subscribedInSession(session, request, upstream, answering) : answering;
}
