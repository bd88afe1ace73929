import type { Dependencies } from "../dependencies.ts";
import type { JsonObject } from "../json.ts";
import type { TokenRecord } from "../stores/tokens.ts";
import { activeToken } from "../tokens/access-token.ts";
import type { AuthenticatedClient } from "./client-authentication.ts";
import { oidcProviderOf } from "./provider.ts";

/** RFC 7662 §2.2. Times in seconds since the epoch. */
export type IntrospectionResponse = { readonly active: false } | ActiveToken;

/** Beside these what the token says of person and sign-in, and who acts for whom (`act`, RFC 8693 §4.1). */
export interface ActiveToken extends JsonObject {
  readonly active: true;
  readonly iss: string;
  readonly sub: string;
  readonly aud: string;
  readonly client_id: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  readonly token_type: "Bearer";
  readonly scope?: string;
  /** Whose owner gave an API client its scopes and resources; other tokens have none. */
  readonly organization_id?: string;
}

/**
 * What the caller may know of an access token, opaque or JWT: nothing but `active: false` unless the token is active and
 * meant for it. Refresh tokens are no resource server's business: they are inactive to everybody.
 */
export async function introspectionResponse(
  token: string,
  caller: AuthenticatedClient,
  dependencies: Pick<Dependencies, "stores" | "clock" | "configuration" | "keyRing">,
): Promise<IntrospectionResponse> {
  const record = await activeToken(token, dependencies);
  if (record === undefined || !mayIntrospect(caller, record)) return { active: false };
  const { issuer } = oidcProviderOf(dependencies.configuration().configuration);
  return representation(record, issuer);
}

/** A client that came by itself or is an API client sees its own tokens, an `oidc` app those for its resources. */
function mayIntrospect(caller: AuthenticatedClient, { clientId, audience }: TokenRecord): boolean {
  if (caller.type === "api_client" || caller.client.kind !== "app") return caller.clientId === clientId;
  return caller.client.introspects?.includes(audience) ?? true;
}

function representation(record: TokenRecord, issuer: string): ActiveToken {
  return {
    ...record.claims,
    active: true,
    iss: issuer,
    sub: record.subject,
    aud: record.audience,
    client_id: record.clientId,
    jti: record.tokenId,
    iat: Math.floor(record.issuedAt / 1000),
    exp: Math.floor(record.expiresAt / 1000),
    token_type: "Bearer",
    ...(record.scopes.length > 0 && { scope: record.scopes.join(" ") }),
    ...(record.keyPairId !== undefined &&
      record.organizationId !== undefined && { organization_id: record.organizationId }),
  };
}
