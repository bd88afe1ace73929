import ipaddr from "ipaddr.js";
import { lazy } from "../kernel/lazy.ts";
import { networkMatcher, parseIpAddress } from "./networks.ts";

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

/**
 * Whether an address is link-local, or one at which a cloud tells a machine about itself, credentials among it. No upstream has
 * such an address, also where upstreams are on private ones.
 *
 * @param text without brackets, with or without a zone; in IPv6 also as an IPv4 address is written there
 */
export function isMachineAddress(text: string): boolean {
  const address = parseIpAddress(text);
  return address !== undefined && machineNetworks()(address);
}

const machineNetworks = lazy(() =>
  networkMatcher([
    "169.254.0.0/16",
    "100.100.100.200",
    "168.63.129.16",
    "fe80::/10",
    "fd00:ec2::254",
    // IPv4 in IPv6: compatible (RFC 4291 section 2.5.5.1), translated (RFC 6052, RFC 2765), 6to4 (RFC 3056). Mapped ones are read as IPv4.
    ...["::", "64:ff9b::", "::ffff:0:"].flatMap((prefix) => [
      `${prefix}a9fe:0/112`,
      `${prefix}6464:64c8/128`,
      `${prefix}a83f:8110/128`,
    ]),
    ...["2002:a9fe::/32", "2002:6464:64c8::/48", "2002:a83f:8110::/48"],
  ]),
);

/** What IANA gives out (RFC 4291 §2.4): mapped, compatible, translated and local addresses lie outside of it. */
const globalNetwork = lazy(() => networkMatcher(["2000::/3"]));
/** Public addresses at which clouds tell machines about themselves. */
const platformNetwork = lazy(() => networkMatcher(["168.63.129.16/32"]));
