import { sha256 } from "#sha256";
import { base64url } from "../../kernel/encoding.ts";
import type { GrantRecord } from "../../stores/grants.ts";
import type { TokenRecord } from "../../stores/tokens.ts";
import { oidcProviderOf } from "../oidc-provider.ts";
import { grantedClaims } from "../person-claims.ts";
import type { AuthorizationServerPorts } from "../ports.ts";

export interface IdTokenTerms {
  /** The access token of the same answer. The ID token has the same lifetime. */
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
  { configuration, keyRing }: Pick<AuthorizationServerPorts, "configuration" | "keyRing">,
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

/** The left half of the hash, which is SHA-256 for each of our signature algorithms (§3.1.3.6). */
function accessTokenHash(text: string): string {
  return base64url(sha256(text).slice(0, 16));
}

/** The subject and the client of an ID token that a client sends as a hint. */
export interface IdTokenHint {
  readonly userId: string;
  readonly clientId: string;
}

/** Reads an ID token of this issuer, which may have expired (OpenID Connect Core 1.0 §3.1.2.1). Undefined for anything else. */
export async function readIdTokenHint(
  text: string,
  { keyRing, configuration }: Pick<AuthorizationServerPorts, "keyRing" | "configuration">,
): Promise<IdTokenHint | undefined> {
  const claims = await keyRing.verify(text, "JWT");
  const { issuer } = oidcProviderOf(configuration().configuration);
  if (claims?.iss !== issuer || typeof claims.sub !== "string" || typeof claims.aud !== "string") return undefined;
  return { userId: claims.sub, clientId: claims.aud };
}

/**
 * Claims that only ID tokens have (OpenID Connect Core §2, §3.1.3.6, §3.3.2.11). A JWT need not name its type, and RFC 8725 §2.8
 * describes attacks that confuse such tokens.
 */
const ID_TOKEN_CLAIMS = ["nonce", "at_hash", "c_hash"];

/** Whether a JWT is an ID token by its claims. An ID token is for its client and is not an access token. */
export function isIdToken(claims: Readonly<Record<string, unknown>>): boolean {
  return ID_TOKEN_CLAIMS.some((claim) => claims[claim] !== undefined);
}
