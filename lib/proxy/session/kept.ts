import type { LiveSession } from "../../mcp/caller.ts";
import { isStatelessRevision } from "../../mcp/revisions.ts";
import { upstreamOf } from "../../stores/mcp-session-upstreams.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { Upstream } from "../upstream.ts";

/** What the record of the agent's session has for the upstream now; its request may have begun before it was written. */
export async function keptNow(
  { reference }: LiveSession,
  { app, shared }: Upstream,
): Promise<UpstreamSession | undefined> {
  const { stores, clock } = shared.dependencies;
  const record = await stores.mcpSessions.get(reference.sessionHash, clock.now());
  return upstreamOf(record?.upstreams, app.name);
}

/** Writes down what the agent's session has at the upstream, and tells the session's streams. Resolves to what it has then. */
export async function keep(
  { reference }: LiveSession,
  session: UpstreamSession,
  replaces: string | undefined,
  { app, shared }: Upstream,
): Promise<UpstreamSession | undefined> {
  const { stores, clock, sessionChannel } = shared.dependencies;
  const record = await stores.mcpSessions.setUpstream(reference, app.name, session, replaces, clock.now());
  const current = upstreamOf(record?.upstreams, app.name);
  if (current?.key === session.key) await sessionChannel?.publish(reference.sessionHash, { kind: "upstream" });
  return current;
}

/** Whether this is a session: of an upstream of the stateless generation only subscriptions are kept. */
export function isSession({ protocolVersion }: UpstreamSession): boolean {
  return !isStatelessRevision(protocolVersion);
}
