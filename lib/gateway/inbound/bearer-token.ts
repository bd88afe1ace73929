/** How a request carries its token (RFC 6750 §2). */
export type PresentedToken =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "none" }
  | { readonly kind: "malformed" }
  /** RFC 6750 §2.3: URLs end up in logs; never accepted, whatever else the request carries. */
  | { readonly kind: "in_query" };

const MAX_LENGTH = 16_384;

export function presentedToken(request: Request): PresentedToken {
  if (new URL(request.url).searchParams.has("access_token")) return { kind: "in_query" };
  const authorization = request.headers.get("authorization");
  if (authorization === null || !/^bearer(\s|$)/i.test(authorization)) return { kind: "none" };
  const [, token] = /^bearer +([\w.~+/-]+=*)$/i.exec(authorization) ?? [];
  return token === undefined || token.length > MAX_LENGTH ? { kind: "malformed" } : { kind: "token", token };
}
