import { causeOf } from "../../logging/cause.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import { type SpokenUpstream, wireTarget } from "../spoken-upstream.ts";

/** Milliseconds; nobody waits for it but the runtime. */
const PATIENCE = 5_000;

/** Ends a session at its upstream, where it has an id (MCP 2025-11-25, Transports, Session Management); 405 leaves it to expire. */
export async function endSession(session: UpstreamSession, upstream: SpokenUpstream): Promise<void> {
  if (session.sessionId === undefined) return;
  const { url, fetch, headers, signal } = wireTarget(upstream, sessionHeaders(session), AbortSignal.timeout(PATIENCE));
  const response = await fetch(url, { method: "DELETE", headers, signal, redirect: "manual" });
  await response.body?.cancel();
}

/** Headers of what is sent in an upstream's session (MCP 2025-11-25, Transports, Session Management, Protocol Version Header). */
export function sessionHeaders({ sessionId, protocolVersion }: UpstreamSession): Readonly<Record<string, string>> {
  return {
    "mcp-protocol-version": protocolVersion,
    ...(sessionId !== undefined && { "mcp-session-id": sessionId }),
  };
}

/** What a session is still told. */
const UNDER_WAY = new WeakMap<UpstreamSession, Promise<unknown>>();

/**
 * Keeps a session from being left before its server has answered a notification: whoever ends the session first is not told that the
 * call in it was cancelled.
 *
 * @param told never rejects
 */
export function tellBeforeLeaving(session: UpstreamSession, told: Promise<void>): void {
  const all = Promise.all([UNDER_WAY.get(session), told]).finally(() => {
    if (UNDER_WAY.get(session) === all) UNDER_WAY.delete(session);
  });
  UNDER_WAY.set(session, all);
}

/** Ends a session that nothing uses any more. Nobody waits for it; one that cannot be ended expires at its upstream. */
export function leaveSession(session: UpstreamSession, upstream: SpokenUpstream): void {
  const { logger, waitUntil } = upstream.request;
  const tolerate = (cause: unknown) => logger.debug("upstream session not ended", { cause: causeOf(cause) });
  const leave = async () => {
    await UNDER_WAY.get(session);
    await endSession(session, upstream);
  };
  waitUntil(leave().catch(tolerate));
}
