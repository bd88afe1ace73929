import { base64url } from "../../kernel/encoding.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { UpstreamAnswer } from "../answer.ts";
import type { Deadline } from "../deadline.ts";
import type { Listener } from "../deliver.ts";
import { leaveSession } from "../session/end-session.ts";
import { openSession } from "../session/open-session.ts";
import { isForgotten, sendInSession } from "../session/session-request.ts";
import { setLevel } from "../session/session-settings.ts";
import type { UpstreamRequest } from "../spoken-upstream.ts";
import type { Upstream } from "../upstream.ts";
import type { KeptSession } from "./shared-sessions.ts";

/**
 * A request in the session that the principal's requests at an upstream share. Requests of several agents have the same ids, so
 * that they get others here. A session that the upstream has forgotten is begun anew, once.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function requestInSharedSession(
  request: UpstreamRequest,
  upstream: Upstream,
  listener: Listener,
  deadline: Deadline,
): Promise<UpstreamAnswer> {
  const { app, principal, agent, shared } = upstream;
  const { sharedSessions } = shared;
  const key = JSON.stringify([app.name, app.url, principal, agent.logLevel ?? null]);
  const sent = { ...request, id: base64url(shared.random.bytes(16)) };
  const known = sharedSessions.use(key);
  if (known?.isIdle === false) {
    try {
      return await sendInSession(known.session, sent, upstream, listener, deadline);
    } catch (cause) {
      if (!isForgotten(cause, known.session)) throw cause;
    }
  }
  const session = await beginSession(upstream, deadline);
  keep(key, session, known, upstream);
  return sendInSession(session, sent, upstream, listener, deadline);
}

/** The last one that was begun is shared from now on. What others still use of the one before goes on; it is not ended. */
function keep(key: string, session: UpstreamSession, former: KeptSession | undefined, upstream: Upstream): void {
  upstream.shared.sharedSessions.keep(key, session);
  if (former?.isIdle === true) leaveSession(former.session, upstream);
}

/** A session that belongs to no session of an agent. @throws UpstreamRefusal; UpstreamFailure */
export async function beginSession(upstream: Upstream, deadline: Deadline): Promise<UpstreamSession> {
  const { session } = await openSession(upstream, deadline);
  try {
    await setLevel(session, upstream, deadline);
    return session;
  } catch (cause) {
    leaveSession(session, upstream);
    throw cause;
  }
}
