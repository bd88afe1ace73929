/** Of the session, of attempts to sign in, and of the Console, unless they are named otherwise. */
const OWN_PREFIXES = ["__Host-countersign", "__Secure-countersign"];

/**
 * Whether a pair of `Cookie`, or the first part of `Set-Cookie`, is of a cookie of ours.
 *
 * @param own names beside those that begin as ours do
 */
export function isOwnCookie(pair: string, own: readonly string[]): boolean {
  const name = cookieName(pair);
  return own.includes(name) || OWN_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/**
 * The name that servers take it for. A cookie without a name is sent as its value alone, so `=a=b` comes back as `a=b`
 * (RFC 6265bis §5.7, §5.8.3).
 */
export function cookieName(pair: string): string {
  return /^[\s=]*([^=]*)/.exec(pair)?.[1]?.trimEnd() ?? "";
}
