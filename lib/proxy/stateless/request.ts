import { eitherSignal } from "../../abort.ts";
import type { UpstreamAnswer } from "../answer.ts";
import type { Deadline } from "../deadline.ts";
import { deliver, type Listener } from "../deliver.ts";
import { UpstreamRefusal } from "../refusal.ts";
import { type Upstream, type UpstreamRequest, wireTarget } from "../upstream.ts";
import { postMessage } from "../wire/post-message.ts";
import { brokenOff } from "../wire/upstream-failure.ts";
import { statelessHeaders } from "./headers.ts";

/**
 * A request that tells everything about itself (MCP 2026-07-28, Transports, Streamable HTTP); `params._meta` is complete.
 * Closing its answer cancels it.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function requestStateless(
  request: UpstreamRequest,
  upstream: Upstream,
  listener: Listener,
  deadline: Deadline,
): Promise<UpstreamAnswer> {
  const { id, method, params } = request;
  const { signal, forget } = eitherSignal(upstream.signal, deadline.signal);
  const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  try {
    const answer = await postMessage(text, wireTarget(upstream, statelessHeaders(request), signal));
    if (answer.kind === "refused") throw new UpstreamRefusal(answer);
    if (answer.kind === "accepted") throw brokenOff();
    return await deliver(answer.messages, request, upstream, listener, deadline);
  } finally {
    forget();
  }
}
