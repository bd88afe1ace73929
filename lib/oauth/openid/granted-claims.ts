import type { JsonObject } from "../../json.ts";
import type { GrantRecord } from "../../stores/grants.ts";
import { claimsOf } from "../person-claims.ts";

/** About the sign-in, not about the person: ID tokens carry them by themselves, userinfo does not. */
const SIGN_IN_CLAIMS: readonly string[] = ["auth_time", "acr", "amr", "sid"];

/**
 * What a grant tells of its person where these scopes are at hand. Of a scope that was granted and is not among them, the
 * claims are left out; a claim whose scope was not granted is there by the client's mapping.
 */
export function grantedClaims(
  { claims, scopes: granted }: Pick<GrantRecord, "claims" | "scopes">,
  scopes: readonly string[],
): JsonObject {
  const missing = granted.filter((scope) => !scopes.includes(scope));
  const left = new Set([...SIGN_IN_CLAIMS, ...missing.flatMap(claimsOf)]);
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !left.has(name)));
}
