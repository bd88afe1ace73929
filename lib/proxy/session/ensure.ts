import { causeOf } from "../../logging/cause.ts";
import type { LiveSession } from "../../mcp/caller.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { Deadline } from "../deadline.ts";
import type { Upstream } from "../upstream.ts";
import { endSession } from "./end.ts";
import { openSession } from "./open.ts";
import { setLevel } from "./set-level.ts";

/**
 * The session at the upstream that belongs to the agent's own: the one that its record names, or a new one, which the record
 * names from then on. Of requests that begin one at the same time all go on with the first that was written down.
 *
 * @param lost a session that the upstream does not know any more
 */
export async function ensureSession(
  live: LiveSession,
  upstream: Upstream,
  deadline: Deadline,
  lost?: UpstreamSession,
): Promise<UpstreamSession> {
  const { app, shared, request } = upstream;
  const known = live.record.upstreams?.[app.name];
  if (known !== undefined && known.key !== lost?.key) return known;
  const { session } = await openSession(upstream, deadline);
  await setLevel(session, upstream, deadline);
  const { stores, clock } = shared.dependencies;
  const kept = { ...session, ...(lost?.subscriptions && { subscriptions: lost.subscriptions }) };
  const record = await stores.mcpSessions.setUpstream(live.reference, app.name, kept, lost?.key, clock.now());
  const current = record?.upstreams?.[app.name];
  if (current?.key === session.key) return current;
  // Another request was faster, or the agent's session is over: nobody would end this one later.
  const tolerate = (cause: unknown) => request.logger.debug("upstream session not ended", { cause: causeOf(cause) });
  request.waitUntil(endSession(session, upstream).catch(tolerate));
  return current ?? session;
}
