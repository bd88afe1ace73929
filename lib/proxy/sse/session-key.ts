import type { LiveSession } from "../../mcp/caller.ts";
import type { Upstream } from "../upstream.ts";

/** What a connection is kept under: never does another session, another principal or another server come to it. */
export function connectionKey({ reference }: LiveSession, { app, principal }: Upstream): string {
  return JSON.stringify([app.name, app.url, principal, reference.sessionHash]);
}
