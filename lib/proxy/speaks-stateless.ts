import { isStatelessRevision, LATEST_SESSION_REVISION } from "../mcp/revisions.ts";
import { leaveSession } from "./bridge/leave-session.ts";
import { startDeadline } from "./deadline.ts";
import { UpstreamRefusal } from "./refusal.ts";
import { isAboutCaller } from "./refused-generation.ts";
import { discover } from "./stateless/discover.ts";
import type { Upstream } from "./upstream.ts";
import { UpstreamFailure } from "./wire/upstream-failure.ts";

/**
 * Whether an upstream serves a revision without sessions. Those that do not say so in many ways: they want a session id first, do not
 * know the version or the method, answer nothing at all, or fail.
 *
 * @throws UpstreamRefusal, UpstreamFailure where that is not to be found out
 */
export async function speaksStateless(upstream: Upstream): Promise<boolean> {
  // What stays silent leaves time for the other generation.
  const deadline = startDeadline(upstream.app.timeout / 2);
  try {
    const { supportedVersions } = await discover(upstream, deadline);
    return Array.isArray(supportedVersions) && supportedVersions.some(isStatelessRevision);
  } catch (cause) {
    if (cause instanceof UpstreamRefusal && !isAboutCaller(cause)) {
      leaveBegun(cause, upstream);
      return false;
    }
    if (cause instanceof UpstreamFailure && isNoAnswer(cause, upstream)) return false;
    throw cause;
  } finally {
    deadline.end();
  }
}

/** A session that nobody asked for would take up room until it expires. */
function leaveBegun({ sessionId }: UpstreamRefusal, upstream: Upstream): void {
  if (sessionId !== undefined) leaveSession({ key: "", sessionId, protocolVersion: LATEST_SESSION_REVISION }, upstream);
}

/** It is there, and what came is no answer to the question. */
function isNoAnswer({ reason }: UpstreamFailure, { signal }: Upstream): boolean {
  return !signal.aborted && !["unreachable", "unanswered", "redirect"].includes(reason);
}
