/** RFC 8414 §3: the well-known segment goes between host and the issuer's path. */
export function oauthMetadataPath(issuer: string): string {
  return `/.well-known/oauth-authorization-server${withoutTrailingSlash(new URL(issuer).pathname)}`;
}

/** OpenID Connect Discovery §4: appended to the issuer. */
export function openIdMetadataPath(issuer: string): string {
  return `${withoutTrailingSlash(new URL(issuer).pathname)}/.well-known/openid-configuration`;
}

/** RFC 9728 §3.1: likewise for the path of a protected resource. */
export function resourceMetadataPath(path: string): string {
  return `/.well-known/oauth-protected-resource${withoutTrailingSlash(path)}`;
}

function withoutTrailingSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
