import ipaddr from "ipaddr.js";
import { lazy } from "../kernel/lazy.ts";
import { networkMatcher } from "./networks.ts";

/**
 * Whether an address is one of the public internet: nothing private, local, shared, reserved or for documentation
 * (RFC 6890), and no IPv6 address that stands for an IPv4 address in whichever notation (checklist 21).
 *
 * @param text without brackets; what is no address is not public
 */
export function isPublicAddress(text: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) {
    const address = ipaddr.IPv4.parse(text);
    return address.range() === "unicast" && !platformNetwork()(address);
  }
  // A zone names an interface of this machine.
  if (text.includes("%") || !ipaddr.IPv6.isValid(text)) return false;
  const address = ipaddr.IPv6.parse(text);
  return address.range() === "unicast" && globalNetwork()(address);
}

/** What IANA gives out (RFC 4291 §2.4): mapped, compatible, translated and local addresses lie outside of it. */
const globalNetwork = lazy(() => networkMatcher(["2000::/3"]));
/** Public addresses at which clouds tell machines about themselves. */
const platformNetwork = lazy(() => networkMatcher(["168.63.129.16/32"]));
