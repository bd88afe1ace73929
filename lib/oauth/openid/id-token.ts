import type { Dependencies } from "../../dependencies.ts";
import { base64url, sha256 } from "../../encoding.ts";
import type { GrantRecord } from "../../stores/grants.ts";
import type { TokenRecord } from "../../stores/tokens.ts";
import { oidcProviderOf } from "../provider.ts";
import { grantedClaims } from "./granted-claims.ts";

export interface IdTokenTerms {
  /** The access token that it comes with, and whose lifetime it has. */
  readonly access: TokenRecord;
  readonly accessText: string;
  readonly grant: GrantRecord;
  readonly nonce: string | undefined;
}

/**
 * An ID token (OpenID Connect Core 1.0 §2, §3.1.3.6): the sign-in, the person's claims, and which access token it belongs to.
 * There is one audience, so `azp` has nothing to add.
 */
export function signIdToken(
  { access, accessText, grant, nonce }: IdTokenTerms,
  { configuration, keyRing }: Pick<Dependencies, "configuration" | "keyRing">,
): Promise<string> {
  const { auth_time, acr, amr, sid } = grant.claims;
  const claims = {
    ...grantedClaims(grant, access.scopes),
    iss: oidcProviderOf(configuration().configuration).issuer,
    sub: access.subject,
    aud: access.clientId,
    exp: Math.floor(access.expiresAt / 1_000),
    iat: Math.floor(access.issuedAt / 1_000),
    ...(auth_time !== undefined && { auth_time }),
    ...(acr !== undefined && { acr }),
    ...(amr !== undefined && { amr }),
    ...(sid !== undefined && { sid }),
    ...(nonce !== undefined && { nonce }),
    at_hash: accessTokenHash(accessText),
  };
  return keyRing.sign(claims, "JWT");
}

/** The left half of its hash, which is SHA-256 for every algorithm that we sign with (§3.1.3.6). */
function accessTokenHash(text: string): string {
  return base64url(sha256(text).slice(0, 16));
}
