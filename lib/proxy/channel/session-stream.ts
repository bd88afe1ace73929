import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import { UpstreamRefusal } from "../refusal.ts";
import { sessionHeaders } from "../session/headers.ts";
import { type Upstream, wireTarget } from "../upstream.ts";
import { openUpstreamStream } from "../wire/open-stream.ts";
import type { OpenedStream } from "./hold.ts";

/**
 * The stream on which an upstream tells a session what it did not ask for (MCP 2025-11-25, Transports, Listening for Messages
 * from the Server). Undefined: it has none.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function openSessionStream(
  session: UpstreamSession,
  upstream: Upstream,
  lastEventId: string | undefined,
): Promise<OpenedStream | undefined> {
  const target = wireTarget(upstream, sessionHeaders(session), upstream.signal);
  const answer = await openUpstreamStream({ ...target, ...(lastEventId !== undefined && { lastEventId }) });
  if (answer.kind === "refused") throw new UpstreamRefusal(answer);
  return answer.kind === "none" ? undefined : answer;
}
