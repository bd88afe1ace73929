import type { Context } from "hono";
import type { ClientTarget } from "../../lib/api-clients/client-event.ts";
import type { Env } from "../env.ts";
import { expectedRevision } from "./revision.ts";

/** The API client that the path names; never empty, since a route without it does not match. */
export function clientIdParameter(c: Context<Env>): string {
  return c.req.param("clientId") ?? "";
}

/** The API client that the path names, at the revision that `If-Match` demands. */
export function clientTarget(c: Context<Env>): ClientTarget {
  return { clientId: clientIdParameter(c), ...expectedRevision(c) };
}
