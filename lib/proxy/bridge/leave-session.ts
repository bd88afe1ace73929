import { causeOf } from "../../logging/cause.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import { endSession } from "../session/end.ts";
import type { SpokenUpstream } from "../upstream.ts";

/** Ends a session that nothing uses any more. Nobody waits for it; one that cannot be ended expires at its upstream. */
export function leaveSession(session: UpstreamSession, upstream: SpokenUpstream): void {
  const { logger, waitUntil } = upstream.request;
  const tolerate = (cause: unknown) => logger.debug("upstream session not ended", { cause: causeOf(cause) });
  waitUntil(endSession(session, upstream).catch(tolerate));
}
