import type { Context } from "hono";
import type { ClientTarget } from "../../lib/api-clients/client-event.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import type { Env } from "../env.ts";

/** A revision as a strong entity tag (RFC 9110 §8.8.3). */
export function entityTag(revision: number): string {
  return `"${revision}"`;
}

/**
 * What `If-Match` demands: nothing when absent or `*`, else a revision. A tag that we never give out matches no revision.
 * @throws ProblemError `stale` for several tags, of which at most one could be current
 */
export function expectedRevision(c: Context<Env>): { readonly expectedRevision?: number } {
  const header = c.req.header("If-Match")?.trim();
  if (header === undefined || header === "*") return {};
  if (header.includes(",")) throw new ProblemError("stale", "If-Match must be one entity tag or *.");
  const revision = /^"(\d{1,15})"$/.exec(header)?.[1];
  return { expectedRevision: revision === undefined ? -1 : Number(revision) };
}

/** The API client that the path names. It is never empty, because a route without it does not match. */
export function clientIdParameter(c: Context<Env>): string {
  return c.req.param("clientId") ?? "";
}

/** The API client that the path names, at the revision that `If-Match` demands. */
export function clientTarget(c: Context<Env>): ClientTarget {
  return { clientId: clientIdParameter(c), ...expectedRevision(c) };
}
