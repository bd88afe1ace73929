import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { Deadline } from "../deadline.ts";
import { openSession } from "../session/open.ts";
import { setLevel } from "../session/set-level.ts";
import type { Upstream } from "../upstream.ts";
import { leaveSession } from "./leave-session.ts";

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
