import { sha256base64url } from "../../encoding.ts";
import { type UpstreamSessions, upstreamOf } from "../../stores/mcp-session-upstreams.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { Upstream } from "../upstream.ts";

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
