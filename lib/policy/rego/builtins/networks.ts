import { spend } from "../budget.ts";
import { isArray, RegoObject, RegoSet, type Value } from "../value.ts";
import { type Builtins, builtinError, stringAt } from "./operands.ts";

/** OPA, "Net", without what asks a network. */
export const NETWORKS: Builtins = {
  "net.cidr_contains": (values) => contains(stringAt(values, 0), stringAt(values, 1)),
  "net.cidr_contains_matches": ([one, other]) => {
    const found = new RegoSet();
    for (const [network, index] of namedNetworks(one as Value, 1))
      for (const [part, otherIndex] of namedNetworks(other as Value, 2)) {
        spend(20);
        if (contains(network, part)) found.add([index, otherIndex]);
      }
    return found;
  },
  "net.cidr_intersects": (values) => {
    const [one, other] = [networkOf(stringAt(values, 0)), networkOf(stringAt(values, 1))];
    return one.bits === other.bits && one.first <= other.last && other.first <= one.last;
  },
  "net.cidr_overlap": (values) => contains(stringAt(values, 0), stringAt(values, 1)),
  "net.cidr_expand": (values) => {
    const { first, last, bits } = networkOf(stringAt(values, 0));
    const found = new RegoSet();
    for (let address = first; address <= last; address += 1n) {
      spend(bits === 32 ? 10 : 40);
      found.add(addressText(address, bits));
    }
    return found;
  },
  "net.cidr_is_valid": ([value]) => typeof value === "string" && parseNetwork(value) !== undefined,
  "net.cidr_merge": ([value]) => {
    const networks = isArray(value) ? value : value instanceof RegoSet ? value.values() : undefined;
    if (networks === undefined) throw builtinError("operand must be an array");
    return merged(networks.map(mergeable));
  },
};

/** All addresses of a network, as numbers. */
interface Network {
  readonly first: bigint;
  readonly last: bigint;
  /** 32 or 128. */
  readonly bits: number;
  /** How it is written where it is merged with no other, if not by its first address. */
  readonly text?: string;
}

function contains(network: string, part: string): boolean {
  const outer = networkOf(network);
  const address = parseAddress(part);
  const inner = address === undefined ? networkOf(part) : { ...address, first: address.value, last: address.value };
  return outer.bits === inner.bits && outer.first <= inner.first && inner.last <= outer.last;
}

function networkOf(text: string): Network {
  const network = parseNetwork(text);
  if (network === undefined) throw builtinError("is neither a valid CIDR nor an address");
  return network;
}

function parseNetwork(text: string): Network | undefined {
  const [, base = "", length = ""] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (length.length > 1 && length.startsWith("0")) return undefined;
  const address = parseAddress(base);
  // The length of an address that is written as IPv6 counts from its own start.
  const written = base.includes(":") ? 128 : 32;
  if (address === undefined || Number(length) > written) return undefined;
  const isMapped = written === 128 && address.bits === 32;
  const prefix = isMapped ? Number(length) - 96 : Number(length);
  if (prefix < 0) return network(address.value | (0xffffn << 32n), Number(length), 128);
  return network(address.value, prefix, address.bits);
}

function network(value: bigint, prefix: number, bits: number): Network {
  const hosts = (1n << BigInt(bits - prefix)) - 1n;
  const first = value & ~hosts;
  return { first, last: first | hosts, bits };
}

/** An IPv4 address in IPv6 notation is the IPv4 address (Go, `net.ParseIP`). */
function parseAddress(text: string): { readonly value: bigint; readonly bits: number } | undefined {
  if (!text.includes(":")) {
    const value = parseFour(text);
    return value === undefined ? undefined : { value, bits: 32 };
  }
  const value = parseSix(text);
  if (value === undefined) return undefined;
  return value >> 32n === 0xffffn ? { value: value & 0xffffffffn, bits: 32 } : { value, bits: 128 };
}

function parseFour(text: string): bigint | undefined {
  if (!/^(\d{1,3})(\.\d{1,3}){3}$/.test(text)) return undefined;
  let value = 0n;
  for (const part of text.split(".")) {
    if (Number(part) > 255 || (part.length > 1 && part.startsWith("0"))) return undefined;
    value = (value << 8n) | BigInt(part);
  }
  return value;
}

function parseSix(text: string): bigint | undefined {
  if (text.length > 45 || !/^[0-9a-fA-F:.]+$/.test(text)) return undefined;
  const [before = "", after, ...more] = text.split("::");
  if (more.length > 0) return undefined;
  const [head, tail] = [groups(before), groups(after ?? "")];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (after === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...head, ...new Array<bigint>(missing).fill(0n), ...tail];
  return all.reduce((value, group) => (value << 16n) | group, 0n);
}

function groups(text: string): readonly bigint[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const last = parts.at(-1) ?? "";
  if (last.includes(".")) {
    const four = parseFour(last);
    const head = parts.length === 1 ? [] : groups(parts.slice(0, -1).join(":"));
    return four === undefined || head === undefined ? undefined : [...head, four >> 16n, four & 0xffffn];
  }
  if (!parts.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part))) return undefined;
  return parts.map((part) => BigInt(`0x${part}`));
}

function addressText(value: bigint, bits: number): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join(".");
  const all = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  // The longest run of zeros, the first of equals, of two at least (RFC 5952 §4.2).
  const joined = `:${all.join(":")}:`;
  const runs = [...joined.matchAll(/(?<=:)(?:0:){2,}/g)].map(([run]) => run);
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), "");
  if (longest === "") return all.join(":");
  const at = joined.search(new RegExp(`(?<=:)(?:0:){${longest.length / 2}}`));
  return `${joined.slice(1, at)}:${joined.slice(at + longest.length, -1)}`.replace(/^:(?!:)/, "::");
}

/** A network of a list, and what names it there: its index, its key or itself. */
function* namedNetworks(value: Value, operand: number): Generator<readonly [string, Value]> {
  const first = (entry: Value): string => {
    const network = isArray(entry) ? entry[0] : entry;
    if (typeof network === "string") return network;
    throw builtinError(`operand ${operand}: element must be string or non-empty array`);
  };
  if (typeof value === "string") yield [value, value];
  else if (isArray(value)) for (const [index, entry] of value.entries()) yield [first(entry), index];
  else if (value instanceof RegoSet) for (const entry of value.values()) yield [first(entry), entry];
  else if (value instanceof RegoObject) for (const [key, entry] of value.entries()) yield [first(entry), key];
}

function mergeable(value: Value): Network {
  if (typeof value !== "string") throw builtinError("element must be string");
  const address = parseAddress(value);
  if (address === undefined) return networkOf(value);
  if (address.bits === 128) throw builtinError("IPv6 invalid: needs prefix length");
  // The mask of the class that the address would be of (Go, `IP.DefaultMask`).
  const top = Number(address.value >> 24n);
  const prefix = top < 128 ? 8 : top < 192 ? 16 : 24;
  return { ...network(address.value, prefix, 32), text: `${addressText(address.value, 32)}/${prefix}` };
}

function merged(networks: readonly Network[]): RegoSet {
  const found = new RegoSet();
  for (const bits of [32, 128]) {
    const own = networks.filter((entry) => entry.bits === bits);
    const runs: Network[] = [];
    for (const next of own.toSorted((one, other) => (one.first < other.first ? -1 : 1))) {
      spend(4);
      const run = runs.at(-1);
      if (run === undefined || next.first > run.last + 1n) runs.push(next);
      else runs[runs.length - 1] = { first: run.first, last: (next.last > run.last ? next : run).last, bits };
    }
    for (const { first, last, text } of runs) {
      if (text === undefined) write(first, last, bits, found);
      else found.add(text);
    }
  }
  return found;
}

/** As few networks as have all addresses from the first to the last. */
function write(first: bigint, last: bigint, bits: number, found: RegoSet): void {
  for (let start = first; start <= last; ) {
    spend(40);
    let size = 0;
    while (
      size < bits &&
      (start & ((1n << BigInt(size + 1)) - 1n)) === 0n &&
      start + (1n << BigInt(size + 1)) - 1n <= last
    )
      size += 1;
    found.add(`${addressText(start, bits)}/${bits - size}`);
    start += 1n << BigInt(size);
  }
}
