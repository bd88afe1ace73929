import { calculate, decimalOf, fromDecimal, parseNumber, truncate } from "../number.ts";
import { RegoObject, type Value } from "../value.ts";
import { type Builtins, builtinError, stringAt } from "./operands.ts";

/** Versions, units, UUIDs (OPA, "SemVer", "Units", "UUID"). */
export const FORMATS: Builtins = {
  "semver.is_valid": ([value]) => typeof value === "string" && parseVersion(value) !== undefined,
  "semver.compare": (values) => {
    const [one, other] = [version(values, 0), version(values, 1)];
    return compareVersions(one, other);
  },
  "units.parse": (values) => {
    const [amount, unit] = amountAndUnit(stringAt(values, 0).replaceAll('"', ""));
    const factor = unit === "m" ? undefined : UNITS[unit.slice(0, 1) + unit.slice(1).toLowerCase()];
    if (unit !== "m" && factor === undefined) throw builtinError("unit not recognized");
    const number = parseNumber(amount);
    if (number === undefined) throw builtinError("could not parse amount to a number");
    const [digits, exponent] = decimalOf(number);
    return inTenPlaces(digits * (factor ?? 1n), factor === undefined ? exponent - 3 : exponent);
  },
  "units.parse_bytes": (values) => {
    const [amount, unit] = amountAndUnit(stringAt(values, 0).replaceAll('"', "").toLowerCase());
    const factor = unit === "" ? 1n : BYTES[unit];
    if (factor === undefined) throw builtinError("byte unit not recognized");
    const number = parseNumber(amount);
    if (number === undefined) throw builtinError("could not parse byte amount to a number");
    const total = truncate(calculate("times", number, factor));
    return calculate("plus", total, 0);
  },
  "uuid.parse": (values) => parseUuid(stringAt(values, 0)),
};

/** ± digits · 10^exponent with ten decimal places, as Go's `Rat.FloatString(10)`. */
function inTenPlaces(digits: bigint, exponent: number): Value {
  if (exponent >= -10) return fromDecimal(digits, exponent);
  const unit = 10n ** BigInt(-exponent - 10);
  const half = digits < 0n ? -unit / 2n : unit / 2n;
  return fromDecimal((digits + half) / unit, -10);
}

interface Version {
  readonly numbers: readonly bigint[];
  readonly before: readonly string[];
}

/** Semantic Versioning 2.0.0, with a leading `v` or without. */
const VERSION =
  /^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

function parseVersion(text: string): Version | undefined {
  if (text.length > 1_000) return undefined;
  const [, major, minor = "", patch = "", before] = VERSION.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { numbers: [major, minor, patch].map(BigInt), before: before?.split(".") ?? [] };
}

function version(values: readonly Value[], position: number): Version {
  const found = parseVersion(stringAt(values, position));
  if (found === undefined) throw builtinError(`operand ${position + 1}: is not a valid SemVer`);
  return found;
}

function compareVersions(one: Version, other: Version): number {
  for (const [index, number] of one.numbers.entries()) {
    const against = other.numbers[index] as bigint;
    if (number !== against) return number < against ? -1 : 1;
  }
  if (one.before.length === 0 || other.before.length === 0)
    return other.before.length - one.before.length === 0 ? 0 : one.before.length === 0 ? 1 : -1;
  for (const [index, part] of one.before.entries()) {
    const against = other.before[index];
    if (against === undefined) return 1;
    const order = compareParts(part, against);
    if (order !== 0) return order;
  }
  return one.before.length < other.before.length ? -1 : 0;
}

/** Numbers come before texts. */
function compareParts(one: string, other: string): number {
  const [left, right] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (left !== right) return left ? -1 : 1;
  if (!left) return one < other ? -1 : one > other ? 1 : 0;
  return BigInt(one) < BigInt(other) ? -1 : BigInt(one) > BigInt(other) ? 1 : 0;
}

const powers = (base: bigint, mark: string): Readonly<Record<string, bigint>> =>
  Object.fromEntries([..."kmgtpe"].map((unit, index) => [unit + mark, base ** BigInt(index + 1)]));
const [DECIMAL, BINARY] = [powers(1_000n, ""), powers(1_024n, "i")];

/** `m` alone is a thousandth; other units are in either case. */
const UNITS: Readonly<Record<string, bigint>> = {
  "": 1n,
  ...DECIMAL,
  ...BINARY,
  ...Object.fromEntries(
    Object.entries({ ...DECIMAL, ...BINARY }).map(([unit, factor]) => [
      unit.slice(0, 1).toUpperCase() + unit.slice(1),
      factor,
    ]),
  ),
};

const BYTES: Readonly<Record<string, bigint>> = {
  ...DECIMAL,
  ...BINARY,
  ...powers(1_000n, "b"),
  ...powers(1_024n, "ib"),
};

/** The longest beginning that may be a number, with an exponent where digits follow the `e` (topdown/parse_bytes.go). */
const AMOUNT = /^(?:[\d.+-]|[eE](?=[\d+-]))*/;

function amountAndUnit(text: string): readonly [string, string] {
  if (text.includes(" ")) throw builtinError("spaces not allowed in resource strings");
  const [amount = ""] = AMOUNT.exec(text) ?? [];
  if (/[eE][+-]?\d{7}/.test(amount)) throw builtinError("exponent too large");
  if (amount === "") throw builtinError("no amount provided");
  return [amount, text.slice(amount.length)];
}

const UUID =
  /^(?:urn:uuid:(?=.{36}$)|\{(?=.{36}\}$))?([0-9a-f]{8})(-?)([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{12})\}?$/i;
/** From 1582-10-15 to 1970-01-01, in units of 100 ns (RFC 9562 §5.1). */
const GREGORIAN = 122_192_928_000_000_000n;
const DOMAINS = ["Person", "Group", "Org"];

/** Undefined: it is none. */
function parseUuid(text: string): Value | undefined {
  const braces = (text.startsWith("{") ? 1 : 0) + (text.endsWith("}") ? 1 : 0);
  const [, low, , middle = "", high = "", clock = "", node = ""] = UUID.exec(text) ?? [];
  if (low === undefined || braces === 1) return undefined;
  const object = new RegoObject();
  const version = Number.parseInt(high.slice(0, 1), 16);
  object.set("version", version);
  object.set("variant", variantOf(Number.parseInt(clock.slice(0, 2), 16)));
  if (version !== 1 && version !== 2) return object;
  const ticks = BigInt(`0x${high.slice(1)}${middle}${low}`);
  object.set("time", calculate("times", fromDecimal(ticks - GREGORIAN, 0), 100));
  object.set("nodeid", (node.toLowerCase().match(/../g) ?? []).join("-"));
  const first = Number.parseInt(node.slice(0, 2), 16);
  object.set("macvariables", `${first & 2 ? "local" : "global"}:${first & 1 ? "multicast" : "unicast"}`);
  object.set("clocksequence", Number.parseInt(clock, 16) & 0x3fff);
  if (version === 1) return object;
  const domain = Number.parseInt(clock.slice(2), 16);
  object.set("id", Number.parseInt(low, 16));
  object.set("domain", DOMAINS[domain] ?? `Domain${domain}`);
  return object;
}

function variantOf(byte: number): string {
  if ((byte & 0xc0) === 0x80) return "RFC4122";
  if ((byte & 0xe0) === 0xc0) return "Microsoft";
  return (byte & 0xe0) === 0xe0 ? "Future" : "Reserved";
}
