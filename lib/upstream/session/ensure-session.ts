import { causeOf } from "../../logging/cause.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { AgentSession } from "../agent-side.ts";
import type { Deadline } from "../deadline.ts";
import type { Upstream } from "../upstream.ts";
import { endSession } from "./end-session.ts";
import { isSession, keep, keptNow, sessionAt, whereBound } from "./kept-session.ts";
import { openSession } from "./open-session.ts";
import { resubscribe, setLevel } from "./session-settings.ts";

/**
 * The session at the upstream that belongs to the agent's own: the one that its record names, or a new one, which the record
 * names from then on. Of requests that begin one at the same time all go on with the first that was written down.
 *
 * @param lost a session that the upstream does not know any more
 */
export async function ensureSession(
  live: AgentSession,
  upstream: Upstream,
  deadline: Deadline,
  lost?: UpstreamSession,
): Promise<UpstreamSession> {
  const isUsable = (session: UpstreamSession) => isSession(session) && !isSame(session, lost);
  const read = sessionAt(live.record.upstreams, upstream);
  if (read !== undefined && isUsable(read)) return read;
  const now = await keptNow(live, upstream);
  const known = whereBound(now, upstream);
  if (known !== undefined && isUsable(known)) return known;
  const { session } = await openSession(upstream, deadline);
  await setLevel(session, upstream, deadline);
  const subscriptions = known?.subscriptions ?? [];
  const kept = { ...session, ...(subscriptions.length > 0 && { subscriptions }) };
  const { current, logLevel } = await keep(live, kept, now?.key, upstream);
  if (current?.key === session.key) {
    // The agent asked for another level while the session began, when there was none yet that could be told.
    const isChanged = logLevel !== upstream.agent.logLevel;
    if (isChanged) await setLevel(session, { ...upstream, agent: { ...upstream.agent, logLevel } }, deadline);
    upstream.request.waitUntil(resubscribe(current, upstream));
    return current;
  }
  // The agent's session is over, or its record has no room or another principal's session by now: then this one serves once, and
  // expires at the upstream.
  const faster = whereBound(current, upstream);
  if (faster === undefined || !isUsable(faster)) return session;
  endUnused(session, upstream);
  return faster;
}

/** What is written down of a session changes with its subscriptions. */
function isSame({ key, sessionId }: UpstreamSession, lost: UpstreamSession | undefined): boolean {
  return lost !== undefined && (key === lost.key || (sessionId !== undefined && sessionId === lost.sessionId));
}

/** Another request was faster: nobody would end this one later. */
function endUnused(session: UpstreamSession, upstream: Upstream): void {
  const { logger, waitUntil } = upstream.request;
  const tolerate = (cause: unknown) => logger.debug("upstream session not ended", { cause: causeOf(cause) });
  waitUntil(endSession(session, upstream).catch(tolerate));
}
