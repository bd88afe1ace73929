import type { Dependencies } from "../dependencies.ts";
import type { TokenRecord } from "../stores/tokens.ts";
import { introspectToken } from "../tokens/introspection.ts";
import type { AuthenticatedClient } from "./client-authentication.ts";
import { oidcProviderOf } from "./provider.ts";

/** RFC 7662 §2.2. Times in seconds since the epoch. */
export type IntrospectionResponse = { readonly active: false } | ActiveToken;

export interface ActiveToken {
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
}

/** What the caller may know of the token: nothing but `active: false` unless the token is active and meant for it. */
export async function introspectionResponse(
  token: string,
  caller: AuthenticatedClient,
  dependencies: Pick<Dependencies, "stores" | "clock" | "configuration">,
): Promise<IntrospectionResponse> {
  const record = await introspectToken(token, dependencies);
  if (record === undefined || !mayIntrospect(caller, record)) return { active: false };
  const { issuer } = oidcProviderOf(dependencies.configuration().configuration);
  return activeToken(record, issuer);
}

/** An API client sees its own tokens, an `oidc` app those for its resources. */
function mayIntrospect(caller: AuthenticatedClient, { clientId, audience }: TokenRecord): boolean {
  if (caller.type === "api_client") return caller.clientId === clientId;
  return caller.resources?.includes(audience) ?? true;
}

function activeToken(record: TokenRecord, issuer: string): ActiveToken {
  return {
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
  };
}
