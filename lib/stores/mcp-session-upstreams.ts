import { utf8 } from "../kernel/encoding.ts";
import type { McpSessionRecord, UpstreamSession } from "./mcp-sessions.ts";

/**
 * Bytes that the sessions at upstreams of one agent's session may take together, each with the app's name and as JSON. With
 * the rest of a session they stay below what a store takes as one piece: 400 KB in DynamoDB, 2 MB in a Durable Object.
 */
export const UPSTREAMS_LIMIT: number = 256 * 1024;

export type UpstreamSessions = NonNullable<McpSessionRecord["upstreams"]>;

/** What `McpSessions.setUpstream` is asked for. */
export interface UpstreamChange {
  readonly app: string;
  readonly upstream: UpstreamSession;
  /** Key of the session that is to be there; undefined: none. */
  readonly replaces: string | undefined;
}

/** The session at an app's upstream. An app may be called like what every object has. */
export function upstreamOf(upstreams: UpstreamSessions | undefined, app: string): UpstreamSession | undefined {
  return upstreams !== undefined && Object.hasOwn(upstreams, app) ? upstreams[app] : undefined;
}

/** The sessions at upstreams after the change; undefined when it is not made: another was first, or there is no room. */
export function withUpstream(
  upstreams: UpstreamSessions | undefined,
  { app, upstream, replaces }: UpstreamChange,
): UpstreamSessions | undefined {
  if (upstreamOf(upstreams, app)?.key !== replaces) return undefined;
  const changed = { ...upstreams, [app]: upstream };
  return upstreamsSize(changed) > UPSTREAMS_LIMIT ? undefined : changed;
}

/** A session as lists have it. What upstreams know it by is for the requests in it. */
export function withoutUpstreams({ upstreams: _, ...session }: McpSessionRecord): McpSessionRecord {
  return session;
}

/** Bytes; none for none. */
export function upstreamsSize(upstreams: UpstreamSessions = {}): number {
  return Object.entries(upstreams).reduce((sum, [app, upstream]) => sum + upstreamSize(app, upstream), 0);
}

/** Bytes of one of them; none for none. */
export function upstreamSize(app: string, upstream: UpstreamSession | undefined): number {
  return upstream === undefined ? 0 : utf8(app).length + utf8(JSON.stringify(upstream)).length;
}
