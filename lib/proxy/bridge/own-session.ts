import { causeOf } from "../../logging/cause.ts";
import type { UpstreamAnswer } from "../answer.ts";
import type { Deadline } from "../deadline.ts";
import type { Listener } from "../deliver.ts";
import { endSession } from "../session/end.ts";
import { openSession } from "../session/open.ts";
import { sendInSession } from "../session/request.ts";
import { setLevel } from "../session/set-level.ts";
import type { Upstream, UpstreamRequest } from "../upstream.ts";

/**
 * A request of an agent without session at an upstream with sessions: one session for it alone.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function requestInOwnSession(
  request: UpstreamRequest,
  upstream: Upstream,
  listener: Listener,
  deadline: Deadline,
): Promise<UpstreamAnswer> {
  const { session } = await openSession(upstream, deadline);
  try {
    await setLevel(session, upstream, deadline);
    return await sendInSession(session, request, upstream, listener, deadline);
  } finally {
    const { logger, waitUntil } = upstream.request;
    const tolerate = (cause: unknown) => logger.debug("upstream session not ended", { cause: causeOf(cause) });
    waitUntil(endSession(session, upstream).catch(tolerate));
  }
}
