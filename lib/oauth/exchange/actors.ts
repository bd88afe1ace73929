import { isJsonObject, type JsonObject } from "../../json.ts";

/** One party of a delegation (RFC 8693 §4.1). */
export interface Actor {
  readonly sub: string;
  /** Absent: this issuer. */
  readonly iss?: string;
  /** The client that acts for `sub`, where it is not `sub` itself. */
  readonly client_id?: string;
}

/** How many actors a token names at most, one inside the other. */
export const MAX_ACTORS = 5;

/** `act` with one more actor around those before it, who are never left out. */
export function actBy(actor: Actor, former: JsonObject | undefined): JsonObject {
  return { ...actor, ...(former !== undefined && { act: former }) };
}

/** Actors of an `act` claim, the current one first; undefined when it is no such claim, or has no end within bounds. */
export function actorsOf(act: unknown): readonly string[] | undefined {
  const actors: string[] = [];
  for (let level: unknown = act; level !== undefined; level = level.act) {
    if (!isJsonObject(level) || typeof level.sub !== "string" || level.sub === "") return undefined;
    if (actors.push(level.sub) > MAX_READ) return undefined;
  }
  return actors;
}

/** Above what is ever issued, so that too deep a chain is told from none. */
const MAX_READ = 2 * MAX_ACTORS;

/**
 * Whether a subject token's `may_act` (RFC 8693 §4.4) names the actor: by `sub` or `client_id`, and by whatever else of
 * `iss`, `sub` and `client_id` stands there. Of a claim that names nobody in particular, nobody is meant.
 *
 * @param issuer this one
 */
export function mayAct(claim: unknown, { sub, iss, client_id }: Actor, issuer: string): boolean {
  if (!isJsonObject(claim) || (claim.sub === undefined && claim.client_id === undefined)) return false;
  const isNamed = (named: unknown, actual: string) => named === undefined || named === actual;
  return isNamed(claim.sub, sub) && isNamed(claim.client_id, client_id ?? sub) && isNamed(claim.iss, iss ?? issuer);
}
