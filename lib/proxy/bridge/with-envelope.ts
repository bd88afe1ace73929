import type { UpstreamAnswer } from "../answer.ts";
import type { Deadline } from "../deadline.ts";
import type { Listener } from "../deliver.ts";
import { withEnvelope } from "../stateless/envelope.ts";
import { requestStateless } from "../stateless/request.ts";
import type { Upstream, UpstreamRequest } from "../upstream.ts";

/**
 * A request of an agent with a session at an upstream without: the envelope says what the handshake said.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function requestWithEnvelope(
  request: UpstreamRequest,
  upstream: Upstream,
  listener: Listener,
  deadline: Deadline,
): Promise<UpstreamAnswer> {
  const params = withEnvelope(request.params, upstream.agent);
  return requestStateless({ ...request, params }, upstream, listener, deadline);
}
