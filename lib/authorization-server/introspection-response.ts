import type { JsonObject } from "../kernel/json.ts";
import type { TokenRecord } from "../stores/tokens.ts";
import type { AuthenticatedClient } from "./client-authentication.ts";
import { oidcProviderOf } from "./oidc-provider.ts";
import type { AuthorizationServerPorts } from "./ports.ts";
import { activeToken } from "./tokens/access-token.ts";

/** RFC 7662 §2.2. Times in seconds since the epoch. */
export type IntrospectionResponse = { readonly active: false } | ActiveToken;

/** It also has the token's claims about person and sign-in, and `act` (RFC 8693 §4.1). */
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
  /** The organization of an API client; absent for other tokens. */
  readonly organization_id?: string;
}

/**
 * The introspection response for an access token, opaque or JWT: `active: false` unless the token is active and the caller may
 * introspect it. A refresh token is always inactive, because no resource server needs it.
 */
export async function introspectionResponse(
  token: string,
  caller: AuthenticatedClient,
  dependencies: Pick<AuthorizationServerPorts, "stores" | "clock" | "configuration" | "keyRing" | "clientIds">,
): Promise<IntrospectionResponse> {
  const record = await activeToken(token, dependencies);
  if (record === undefined || !mayIntrospect(caller, record)) return { active: false };
  const { issuer } = oidcProviderOf(dependencies.configuration().configuration);
  return representation(record, issuer);
}

/** A dynamic client or an API client sees its own tokens, an `oidc` app the tokens for its resources. */
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
