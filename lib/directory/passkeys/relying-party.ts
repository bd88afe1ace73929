import type { Configuration } from "../../config/configuration.ts";
import { ProblemError } from "../../problem.ts";

/** Whom passkeys are made for (WebAuthn Level 3 §4, relying party). */
export interface RelyingParty {
  /** The host of `console.baseURL`: passkeys stay with it. */
  readonly id: string;
  /** The only origin whose pages may use them. */
  readonly origin: string;
}

/** What authenticators show people. */
export const RELYING_PARTY_NAME = "Countersign";

/**
 * Absent where people do not sign in with passkeys: they are turned off, or browsers make none there, because the host is an
 * address or pages come without TLS (WebAuthn Level 3 §5.1.3: a valid domain in a secure context).
 */
export function relyingPartyOf({ console }: Pick<Configuration, "console">): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(console.baseURL);
  const isSecure = protocol === "https:" || /^(.+\.)?localhost$/.test(hostname);
  return console.passkeys && isSecure && !isAddress(hostname) ? { id: hostname, origin } : undefined;
}

/** @throws ProblemError `not_found` where there are no passkeys */
export function requireRelyingParty(configuration: Pick<Configuration, "console">): RelyingParty {
  const party = relyingPartyOf(configuration);
  if (party !== undefined) return party;
  throw new ProblemError(
    "not_found",
    "There are no passkeys here: they are turned off, or the Console's address has no host name that browsers make them for.",
  );
}

/** URLs write every IPv4 address with dots and every IPv6 address in brackets. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+(\.\d+){3}$/.test(hostname);
}
