/** What an `Authorization` header presents under the scheme `Bearer` (RFC 6750 §2.1). */
export type BearerCredentials =
  | { readonly kind: "token"; readonly token: string }
  /** No header, or another scheme. */
  | { readonly kind: "none" }
  /** No b64token, or longer than any token may be. */
  | { readonly kind: "malformed" };

const MAX_LENGTH = 8_192;

export function bearerCredentials(authorization: string | null | undefined): BearerCredentials {
  if (!/^bearer(\s|$)/i.test(authorization ?? "")) return { kind: "none" };
  const token = /^bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? "")?.[1];
  return token === undefined || token.length > MAX_LENGTH ? { kind: "malformed" } : { kind: "token", token };
}
