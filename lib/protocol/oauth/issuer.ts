/**
 * The issuer whose discovery document stands at this address: OpenID Connect Discovery §4 appends the well-known path to
 * the issuer, RFC 8414 §3 puts it between host and path. Undefined for an address that is neither.
 */
export function issuerFromWellKnown(wellKnownEndpoint: string): string | undefined {
  const { origin, pathname } = new URL(wellKnownEndpoint);
  const [, before, after] = /^(.*?)\/\.well-known\/[^/]+(.*)$/.exec(pathname) ?? [];
  if (before === undefined || after === undefined || (before !== "" && after !== "")) return undefined;
  return origin + before + after;
}

/** Issuers are compared by their text (RFC 8414 §3.3); a well-known address does not tell whether theirs ends in a slash. */
export function isSameIssuer(expected: string, issuer: string): boolean {
  return withoutSlash(expected) === withoutSlash(issuer);
}

function withoutSlash(issuer: string): string {
  return issuer.endsWith("/") ? issuer.slice(0, -1) : issuer;
}
