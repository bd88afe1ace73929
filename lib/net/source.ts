/**
 * What limits per caller are keyed by: an IPv4 address, or the first 64 bits of an IPv6 address, because one subscriber
 * has a whole /64 (RFC 6177 §2). Texts that are no address stand for themselves.
 */
export function sourceKey(address: string | undefined): string {
  if (address === undefined) return UNKNOWN;
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  return address.includes(":") ? prefix(address, SUBSCRIBER) : address;
}

/**
 * What limits are keyed by that one organization is not to use up from many addresses: the /24 of an IPv4 address, the
 * /48 of an IPv6 address, which is what a site has (RFC 6177 §2).
 */
export function networkKey(address: string | undefined): string {
  const source = sourceKey(address);
  if (source.includes(":")) return prefix(address ?? "", SITE);
  return IPV4.test(source) ? source.replace(/\d+$/, "0/24") : source;
}

const UNKNOWN = "unknown";
const MAPPED_IPV4 = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const GROUPS = 8;
/** Groups of 16 bits that two addresses of one subscriber, or one site, have in common. */
const SUBSCRIBER = 4;
const SITE = 3;

/** `::` stands for as many zero groups as are missing (RFC 4291 §2.2). */
function prefix(address: string, length: number): string {
  const [head = "", tail] = address.toLowerCase().split("%", 1)[0]?.split("::", 2) ?? [];
  const left = groupsOf(head);
  const right = groupsOf(tail ?? "");
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, GROUPS - left.length - right.length) }, () => "0");
  return `${[...left, ...zeros, ...right].slice(0, length).join(":")}::/${length * 16}`;
}

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":").map((group) => group.replace(/^0+(?=.)/, ""));
}
