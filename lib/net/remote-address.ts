import { forwardedFor } from "./forwarded.ts";
import { type IpAddress, networkMatcher, parseIpAddress } from "./networks.ts";

/** What a request tells of where it comes from. */
export interface Origin {
  /** The address of the connection's other end, undefined when it is gone. */
  readonly peer: string | undefined;
  /** The fields of the request, each with all of its values, commas between. */
  readonly forwardedFor?: string | undefined;
  readonly forwarded?: string | undefined;
}

/**
 * Who a request comes from: its peer, and when that is one of the trusted proxies, the right-most address that they were
 * asked by and that is none of them. What stands left of it was written by whoever asks, and counts for nothing.
 * `X-Forwarded-For` is read first, `Forwarded` (RFC 7239) without it alone.
 */
export function remoteAddressReader(trustedProxies: readonly string[]): (origin: Origin) => string | undefined {
  if (trustedProxies.length === 0) return ({ peer }) => peer;
  const isTrusted = networkMatcher(trustedProxies);
  return ({ peer, ...fields }) => {
    const address = peer === undefined ? undefined : parseIpAddress(peer);
    if (address === undefined || !isTrusted(address)) return peer;
    const hops = hopsOf(fields);
    const known = beyond(address, hops, isTrusted);
    return known === address ? peer : known.toString();
  };
}

/** Who asked whom on the way, the nearest last, as it is written. */
function hopsOf({ forwardedFor: list, forwarded }: Omit<Origin, "peer">): readonly string[] {
  return list === undefined ? forwardedFor(forwarded ?? "") : list.split(",").filter((node) => node.trim() !== "");
}

/** As far as trusted proxies tell: the first that is none of them, and the last that is known when one is not told. */
function beyond(peer: IpAddress, hops: readonly string[], isTrusted: (address: IpAddress) => boolean): IpAddress {
  let known = peer;
  for (const hop of hops.toReversed()) {
    const address = addressOf(hop.trim());
    if (address === undefined) return known;
    known = address;
    if (!isTrusted(known)) return known;
  }
  return known;
}

/** `address`, `IPv4:port`, `[IPv6]` or `[IPv6]:port` (RFC 7239 section 6). */
function addressOf(node: string): IpAddress | undefined {
  const [, v6, v4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::[\w.-]+)?$/.exec(node) ?? [];
  return parseIpAddress(v6 ?? v4 ?? node);
}
