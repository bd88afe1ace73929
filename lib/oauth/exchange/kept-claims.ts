import type { JsonObject } from "../../json.ts";
import type { OAuthClient } from "../clients/client.ts";
import type { Subject } from "./subject.ts";

/** What access tokens tell of a sign-in (RFC 9068 §2.2.1). */
const SIGN_IN_CLAIMS = ["auth_time", "acr", "amr"];

/**
 * What the new token tells of person and sign-in: as much of the subject token's claims as the caller's own tokens would
 * carry. Who acts, and who may, is decided elsewhere.
 */
export function keptClaims(
  { claims }: Pick<Subject, "claims">,
  { claimsMapping }: Pick<OAuthClient, "claimsMapping">,
): JsonObject {
  const mapped = Object.keys(claimsMapping).filter((name) => name !== "act" && name !== "may_act");
  const names = [...SIGN_IN_CLAIMS, ...mapped].filter((name) => Object.hasOwn(claims, name));
  return Object.fromEntries(names.map((name) => [name, claims[name]]));
}
