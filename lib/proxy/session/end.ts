import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import { type SpokenUpstream, wireTarget } from "../upstream.ts";
import { sessionHeaders } from "./headers.ts";

/** Milliseconds; nobody waits for it but the runtime. */
const PATIENCE = 5_000;

/** Ends a session at its upstream, where it has an id (MCP 2025-11-25, Transports, Session Management); 405 leaves it to expire. */
export async function endSession(session: UpstreamSession, upstream: SpokenUpstream): Promise<void> {
  if (session.sessionId === undefined) return;
  const { url, fetch, headers, signal } = wireTarget(upstream, sessionHeaders(session), AbortSignal.timeout(PATIENCE));
  const response = await fetch(url, { method: "DELETE", headers, signal, redirect: "manual" });
  await response.body?.cancel();
}
