import { type BearerCredentials, bearerCredentials } from "../../http/bearer.ts";

/** How a request carries its token (RFC 6750 §2). */
export type PresentedToken =
  | BearerCredentials
  /** RFC 6750 §2.3: URLs end up in logs; never accepted, whatever else the request carries. */
  | { readonly kind: "in_query" };

export function presentedToken(request: Request): PresentedToken {
  const { url } = request;
  // Mostly there is no query, and nothing to parse.
  if (url.includes("?") && new URL(url).searchParams.has("access_token")) return { kind: "in_query" };
  return bearerCredentials(request.headers.get("authorization"));
}
