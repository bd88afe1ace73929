import { isJsonObject, type JsonObject } from "../../json.ts";
import type { OAuthClient } from "../clients/client.ts";
import { personClaims } from "../person-claims.ts";
import type { VerifiedConnectorToken } from "./connector-jwt.ts";

/** What a connector's token tells that a chain may begin with: sign-in, actors, and claims by the caller's mapping. */
export function subjectClaims(
  { issuer, sub, claims }: Pick<VerifiedConnectorToken, "issuer" | "sub" | "claims">,
  connector: string,
  caller: Pick<OAuthClient, "claimsMapping">,
): JsonObject {
  const { auth_time, acr, amr, act, may_act } = claims;
  return {
    ...personClaims({ connector, issuer, subject: sub, claims }, [], caller),
    ...(typeof auth_time === "number" && { auth_time }),
    ...(typeof acr === "string" && { acr }),
    ...(Array.isArray(amr) && amr.every((method) => typeof method === "string") && { amr }),
    ...(act !== undefined && { act: ofIssuer(act, issuer) }),
    ...(may_act !== undefined && { may_act: ofIssuer(may_act, issuer) }),
  };
}

/** Parties that another issuer names are its own, which here is not understood of itself (RFC 8693 §4.1). */
function ofIssuer(party: unknown, iss: string): unknown {
  if (!isJsonObject(party)) return party;
  return { iss, ...party, ...(party.act !== undefined && { act: ofIssuer(party.act, iss) }) };
}
