import type { Context } from "hono";
import type { Env } from "../env.ts";
import { invalidQuery } from "./query.ts";

/**
 * Refuses query parameters that the endpoint does not have: a misspelt filter would show everything.
 * @throws ProblemError `invalid_field`
 */
export function refuseUnknownQuery(c: Context<Env>, known: readonly string[]): void {
  const unknown = Object.keys(c.req.queries()).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const accepted = known.length === 0 ? "none is accepted" : `accepted are ${known.join(", ")}`;
  throw invalidQuery(unknown.slice(0, 64), `is not a parameter here; ${accepted}`);
}
