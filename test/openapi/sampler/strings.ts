import fc, { type Arbitrary, type GeneratorValue } from "fast-check";
import { type Schema, Unsatisfiable } from "./merge.ts";

/** Where in a request a value goes. */
export interface Place {
  readonly in: "path" | "query" | "header" | "cookie" | "form" | "body";
  /** Written with others between delimiters that are not told from its own characters. */
  readonly isDelimited?: boolean;
  /** Of an object. */
  readonly isMember?: boolean;
}

const LETTERS = [..."abcXYZ019"];
const MARKS = [..."_-~"];
const RESERVED = [..." .,;:/?#[]@!$&'()*+=%\"<>\\^`{|}"];
const BEYOND_ASCII = [..."éß漢😀"];
const MAY_BE_EMPTY = new Set(["body", "form", "query"]);
const TRIES = 50;

export function drawString(g: GeneratorValue, schema: Schema, place: Place): string {
  const min = Math.max(
    Number(schema.minLength ?? 0),
    MAY_BE_EMPTY.has(place.in) && !(place.in === "query" && place.isMember) ? 0 : 1,
  );
  const max = Math.min(Number(schema.maxLength ?? min + 12), min + 12);
  if (min > max) throw new Unsatisfiable("no string is so short");
  const arbitrary = arbitraryOf(schema, place, { min, max: Math.max(max, 1) });
  for (let n = 0; n < TRIES; n++) {
    const value = g(() => arbitrary);
    const length = [...value].length;
    const fitsLength = length >= min && length <= Number(schema.maxLength ?? Number.POSITIVE_INFINITY);
    if (fitsLength && canBeSent(value, place)) return value;
  }
  throw new Unsatisfiable("no string was found");
}

function arbitraryOf(schema: Schema, place: Place, length: { readonly min: number; readonly max: number }) {
  if (typeof schema.pattern === "string") return matching(schema.pattern);
  if (schema.contentEncoding === "base64" || schema.format === "byte") return BASE64;
  const ofFormat = Object.hasOwn(FORMATS, String(schema.format)) ? FORMATS[String(schema.format)] : undefined;
  if (ofFormat !== undefined) return ofFormat;
  return fc
    .array(fc.constantFrom(...characters(place)), { minLength: length.min, maxLength: length.max })
    .map((all) => all.join(""));
}

function characters({ in: location, isDelimited }: Place): readonly string[] {
  if (isDelimited === true) return [...LETTERS, ..."_~", ...(location === "header" ? [] : BEYOND_ASCII)];
  if (location === "cookie") return [...LETTERS, ...MARKS, ..."!#$&'()*+./:@^`|"];
  if (location === "header") return [...LETTERS, ...MARKS, ...RESERVED.filter((one) => one !== ",")];
  return [...LETTERS, ...LETTERS, ...MARKS, ...RESERVED, ...BEYOND_ASCII];
}

function matching(pattern: string): Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern, "u"), { size: "small" }).map((text) => text.toWellFormed());
  } catch (cause) {
    throw new Unsatisfiable(`pattern ${pattern}: ${cause}`);
  }
}

/** What no request can carry there, and what the gateway refuses for good reasons (`lib/bridge/path.ts`). */
function canBeSent(value: string, { in: location }: Place): boolean {
  if (!value.isWellFormed()) return false;
  if (location === "header") return /^[!-~]([ -~]*[!-~])?$/.test(value);
  if (location !== "path") return true;
  const hasControl = [...value].some((one) => (one.codePointAt(0) as number) < 0x20);
  return !hasControl && value.length <= 2_000 && !value.split(/[/\\]/).some((part) => /^\.\.?(;|$)/.test(part));
}

const DATE = fc.date({ min: new Date("1990-01-01"), max: new Date("2060-01-01"), noInvalidDate: true });
/** Canonical (RFC 4648 §3.5): the bits that are not used are zero. */
const BASE64 = fc.uint8Array({ maxLength: 48 }).map((bytes) => Buffer.from(bytes).toString("base64"));
const LABEL = fc.stringMatching(/^[a-z]{2,8}$/);
const URL_TEXT = fc
  .tuple(LABEL, LABEL, LABEL)
  .map(([host, path, query]) => `https://${host}.example/${path}?q=${query}`);

const FORMATS: Readonly<Record<string, Arbitrary<string>>> = {
  "date-time": DATE.map((date) => date.toISOString()),
  date: DATE.map((date) => date.toISOString().slice(0, 10)),
  time: DATE.map((date) => date.toISOString().slice(11)),
  duration: fc.integer({ min: 1, max: 99 }).map((days) => `P${days}DT2H`),
  email: fc.tuple(LABEL, LABEL).map(([name, host]) => `${name}@${host}.example`),
  "idn-email": fc.tuple(LABEL, LABEL).map(([name, host]) => `${name}@${host}.example`),
  hostname: LABEL.map((host) => `${host}.example`),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  uri: URL_TEXT,
  url: URL_TEXT,
  iri: URL_TEXT,
  "uri-reference": LABEL.map((path) => `/${path}#top`),
  "uri-template": LABEL.map((path) => `/${path}/{id}`),
  uuid: fc.uuid(),
  regex: LABEL.map((text) => `^${text}$`),
  "json-pointer": LABEL.map((text) => `/${text}`),
  "relative-json-pointer": LABEL.map((text) => `1/${text}`),
};
