import { sha256base64url } from "#sha256";
import { isStatelessRevision } from "../../protocol/mcp/revisions.ts";
import { type UpstreamSessions, upstreamOf } from "../../stores/mcp-session-upstreams.ts";
import type { McpLogLevel, UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { AgentSession } from "../agent-side.ts";
import type { Upstream } from "../upstream.ts";

/** What the record of the agent's session has for the upstream now; its request may have begun before it was written. */
export async function keptNow(
  { reference }: AgentSession,
  { app, shared }: Upstream,
): Promise<UpstreamSession | undefined> {
  const { stores, clock } = shared;
  const record = await stores.mcpSessions.get(reference.sessionHash, clock.now());
  return upstreamOf(record?.upstreams, app.name);
}

/** What the record of the agent's session says at the moment at which a session at an upstream was written down in it. */
export interface Kept {
  /** What it has for the upstream; absent: nothing, or the agent's session is over. */
  readonly current: UpstreamSession | undefined;
  readonly logLevel: McpLogLevel | undefined;
}

/** Writes down what the agent's session has at the upstream, and tells the session's streams. */
export async function keep(
  { reference }: AgentSession,
  session: UpstreamSession,
  replaces: string | undefined,
  { app, shared }: Upstream,
): Promise<Kept> {
  const { stores, clock, sessionChannel } = shared;
  const record = await stores.mcpSessions.setUpstream(reference, app.name, session, replaces, clock.now());
  const current = upstreamOf(record?.upstreams, app.name);
  if (current?.key === session.key) await sessionChannel?.publish(reference.sessionHash, { kind: "upstream" });
  return { current, logLevel: record?.logLevel };
}

/** Whether this is a session: of an upstream of the stateless generation only subscriptions are kept. */
export function isSession({ protocolVersion }: UpstreamSession): boolean {
  return !isStatelessRevision(protocolVersion);
}

/** Where an agent's session may have one at an upstream, and whom the upstream takes it to be of. */
export interface Place {
  readonly app: Pick<Upstream["app"], "name" | "url">;
  readonly principal: string;
}

/** What a session at an upstream is kept with: an id of it is a secret of one server, and its state that of one tenant (checklist 39). */
export function boundTo({ app, principal }: Place): string {
  return sha256base64url(JSON.stringify([app.url, principal]));
}

/** The session, unless it is of another URL or principal. One of a release that did not tell goes on until it ends. */
export function whereBound(session: UpstreamSession | undefined, place: Place): UpstreamSession | undefined {
  return session?.boundTo === undefined || session.boundTo === boundTo(place) ? session : undefined;
}

/** What an agent's session has there. */
export function sessionAt(upstreams: UpstreamSessions | undefined, place: Place): UpstreamSession | undefined {
  return whereBound(upstreamOf(upstreams, place.app.name), place);
}
