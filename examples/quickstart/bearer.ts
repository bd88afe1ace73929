import { createRemoteJWKSet, errors, jwtVerify } from "jose";

/** Which tokens an API takes. */
export interface TokenTerms {
  /** Who issues them. */
  readonly issuer: string;
  /** Whom they are for. */
  readonly audience: string;
}

/** What an API learns of its caller. */
export interface Bearer {
  /** Who calls: the agent behind the gateway. */
  readonly agent: string;
  readonly scopes: readonly string[];
}

/** Undefined: there is no token, or none that counts here. */
export type BearerCheck = (request: Request) => Promise<Bearer | undefined>;

/** Checks JWT access tokens (RFC 9068) by the keys that their issuer publishes, which are fetched with the first token. */
export function bearerCheck({ issuer, audience }: TokenTerms): BearerCheck {
  let keys: ReturnType<typeof createRemoteJWKSet> | undefined;
  return async (request) => {
    const token = /^Bearer (\S+)$/i.exec(request.headers.get("Authorization") ?? "")?.[1];
    if (token === undefined) return undefined;
    keys ??= await keysOf(issuer);
    try {
      const { payload } = await jwtVerify<{ scope?: string; act?: { sub?: string } }>(token, keys, {
        issuer,
        audience,
        typ: "at+jwt",
      });
      return { agent: payload.act?.sub ?? payload.sub ?? "", scopes: payload.scope?.split(" ") ?? [] };
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  };
}

async function keysOf(issuer: string): Promise<ReturnType<typeof createRemoteJWKSet>> {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { jwks_uri: address } = (await response.json()) as { readonly jwks_uri: string };
  return createRemoteJWKSet(new URL(address));
}
