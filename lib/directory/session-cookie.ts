import type { SessionConfiguration } from "../config/configuration.ts";
import { isWithinDomain } from "../config/cookie-domain.ts";

/**
 * The `Set-Cookie` line that gives a browser its session on a host. The browser forgets it with the session's absolute end at the
 * latest. It reaches other hosts only where the configured domain has this one.
 *
 * @param hostname of the request, without a port
 */
export function sessionCookie(value: string, hostname: string, session: SessionConfiguration): string {
  return sessionLine(value, session.maxTimeout, hostname, session);
}

/** The line by which the browser forgets it. */
export function forgottenSession(hostname: string, session: SessionConfiguration): string {
  return sessionLine("", 0, hostname, session);
}

/** The line of another cookie, which reaches its own host alone: no other one can set it (RFC 6265bis §4.1.3.2). */
export function hostCookie(name: string, value: string, lifetime: number): string {
  return `${name}=${value}; Max-Age=${Math.floor(lifetime / 1000)}; ${ATTRIBUTES}`;
}

/** The Console's cookie is never that of a domain, whose other hosts could set it. */
export function consoleCookieName({ cookieName, cookieDomain }: SessionConfiguration): string {
  return cookieDomain === undefined ? `${cookieName}-console` : "__Host-countersign-console";
}

function sessionLine(
  value: string,
  lifetime: number,
  hostname: string,
  { cookieName, cookieDomain }: SessionConfiguration,
): string {
  const line = hostCookie(cookieName, value, lifetime);
  return cookieDomain !== undefined && isWithinDomain(hostname, cookieDomain)
    ? `${line}; Domain=${cookieDomain}`
    : line;
}

/** What a `__Host-` name demands; browsers accept `Secure` on http://localhost too. */
const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax";
