/** About one connection, and never passed on (RFC 9110 §7.6.1); `Proxy-*` and `Keep-Alive` are those of RFC 2616 §13.5.1. In lower case. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"],
  ...["proxy-connection", "proxy-authenticate", "proxy-authorization"],
]);

/** A name as the loosest reader takes it: servers by CGI's rules read `X_User` and `X.User` as `X-User` (RFC 3875 §4.1.18). */
export function foldedName(name: string): string {
  return name.toLowerCase().replace(/[_.]/g, "-");
}
