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

/**
 * What a session is still told, by whom: of a session that several requests share, each waits for its own work alone (D29). A server
 * whose session is ended first is not told that the call in it was cancelled.
 */
const TOLD = new WeakMap<RequestOf, Promise<void>>();
type RequestOf = SpokenUpstream["request"];

/** @param told never rejects */
export function tellBeforeLeaving({ request }: SpokenUpstream, told: Promise<void>): void {
  const others = TOLD.get(request);
  TOLD.set(request, others === undefined ? told : Promise.all([others, told]).then(() => undefined));
}

/** Ends a session that nothing uses any more. Nobody waits for it; one that cannot be ended expires at its upstream. */
export function leaveSession(session: UpstreamSession, upstream: SpokenUpstream): void {
  const { logger, waitUntil } = upstream.request;
  const tolerate = (cause: unknown) => logger.debug("upstream session not ended", { cause: causeOf(cause) });
  const leave = async () => {
    await TOLD.get(upstream.request);
    await endSession(session, upstream);
  };
  waitUntil(leave().catch(tolerate));
}
