import type { Context } from "hono";
import type { Configuration } from "../../lib/config/configuration.ts";
import { sha256base64url } from "../../lib/encoding.ts";
import { sessionIdOf } from "../../lib/mcp/sessions/session-id.ts";
import type { Env } from "../env.ts";
import { readConsoleCookie, readSessionCookie } from "./session-cookie.ts";

/** Characters of the hash: enough to tell sessions apart. */
const LENGTH = 16;

/**
 * Names the session that the request says it belongs to, of an agent or of a browser. Whoever knows a session's id is in
 * it, so that the log has the beginning of its hash.
 */
export function loggedSession(c: Context<Env>, configuration: Configuration): string | undefined {
  const { mcpProvider } = configuration;
  const id = (mcpProvider && sessionIdOf(c.req.raw, mcpProvider)) ?? browserSession(c, configuration);
  return id === undefined ? undefined : sha256base64url(id).slice(0, LENGTH);
}

/** The management API is the Console's; all else that browsers come to with a session is the authorization server's. */
function browserSession(c: Context<Env>, configuration: Configuration): string | undefined {
  const read = c.req.path.startsWith("/api/v1/") ? readConsoleCookie : readSessionCookie;
  return read(c, configuration);
}
