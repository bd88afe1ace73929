/**
 * What limits per caller are keyed by: an IPv4 address, or the first 64 bits of an IPv6 address, because one subscriber
 * has a whole /64 (RFC 6177 §2). Texts that are no address stand for themselves.
 */
export function sourceKey(address: string | undefined): string {
  if (address === undefined) return UNKNOWN;
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  return address.includes(":") ? firstHalf(address) : address;
}

const UNKNOWN = "unknown";
const MAPPED_IPV4 = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;
const GROUPS = 8;
const HALF = 4;

/** `::` stands for as many zero groups as are missing (RFC 4291 §2.2). */
function firstHalf(address: string): string {
  const [head = "", tail] = address.toLowerCase().split("%", 1)[0]?.split("::", 2) ?? [];
  const left = groupsOf(head);
  const right = groupsOf(tail ?? "");
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, GROUPS - left.length - right.length) }, () => "0");
  return `${[...left, ...zeros, ...right].slice(0, HALF).join(":")}::/64`;
}

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":").map((group) => group.replace(/^0+(?=.)/, ""));
}
