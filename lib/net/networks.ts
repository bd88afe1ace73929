import ipaddr from "ipaddr.js";
import { boundedCache } from "../kernel/bounded-cache.ts";

/** An IP address of either family; an IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`) is the IPv4 address. */
export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** An IPv6 address that ends in an IPv4 address, every group written out. */
const MAX_LENGTH = 45;

/** Reads an address without brackets, port or zone of its own; undefined when the text is none, as `127.1` or `0x7f.0.0.1`. */
export function parseIpAddress(text: string): IpAddress | undefined {
  const known = lately.get(text);
  if (known !== undefined) return known;
  const address = read(text);
  if (address !== undefined && text.length <= MAX_LENGTH) lately.put(text, address);
  return address;
}

/** A client's address is read several times for each of its requests. */
const lately = boundedCache<string, IpAddress>(1_000);

function read(text: string): IpAddress | undefined {
  const [address = ""] = text.split("%", 1);
  if (address.length > MAX_LENGTH) return undefined;
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  if (!ipaddr.IPv6.isValid(address)) return undefined;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
}

/** Whether a text is an address or a network in CIDR notation, for example `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== undefined;
}

/** Tells whether an address is one of, or in one of, the addresses and networks. Texts that are no network match nothing. */
export function networkMatcher(networks: readonly string[]): (address: IpAddress) => boolean {
  const parsed = networks.map(parseNetwork).filter((network) => network !== undefined);
  return (address) => parsed.some(([base, bits]) => base.kind() === address.kind() && address.match([base, bits]));
}

type Network = readonly [base: IpAddress, bits: number];

const MAPPED_PREFIX = 96;

function parseNetwork(text: string): Network | undefined {
  const [address = "", length, ...rest] = text.split("/");
  const base = address.includes("%") ? undefined : parseIpAddress(address);
  if (base === undefined || rest.length > 0) return undefined;
  const bits = base.kind() === "ipv4" ? 32 : 128;
  if (length === undefined) return [base, bits];
  if (!/^\d{1,3}$/.test(length)) return undefined;
  // A mapped address counts its prefix from the start of the IPv6 address.
  const own = Number(length) - (base.kind() === "ipv4" && address.includes(":") ? MAPPED_PREFIX : 0);
  return own >= 0 && own <= bits ? [base, own] : undefined;
}
