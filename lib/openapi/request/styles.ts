import type { ParameterLocation, ParameterStyle } from "../catalog.ts";
import { RequestError } from "../request-error.ts";
import type { Encode } from "./percent-encoding.ts";

/** How one value is written (OpenAPI 3.2, Style Values); defaults filled in. */
export interface Style {
  readonly name: string;
  readonly style: ParameterStyle;
  readonly explode: boolean;
}

/** A name with one value, as it goes into a query, a form or cookies. */
export interface Written {
  /** Unencoded. */
  readonly name: string;
  /** Encoded. */
  readonly value: string;
  /** The names in it that the agent chose, because they are members of an object; absent: none. */
  readonly members?: readonly string[];
  /** Texts side by side in the value, and what stands between them: the members of an object that is not exploded. */
  readonly packed?: Packed;
}

export interface Packed {
  readonly members: readonly (readonly [name: string, value: string])[];
  readonly delimiters: string;
}

/** Fills in the defaults of the Parameter Object. */
export function styleOf(
  { style, explode, name }: Partial<Style> & { readonly name: string },
  location: ParameterLocation,
): Style {
  const known = style ?? (location === "path" || location === "header" ? "simple" : "form");
  return { name, style: known, explode: explode ?? (known === "form" || known === "cookie") };
}

/** The styles of a query, of forms and of cookies: a value as names and encoded values. */
export function pairsOf(style: Style, given: unknown, encode: Encode): readonly Written[] {
  const { name } = style;
  if (style.style === "deepObject" && typeof given === "object" && given !== null) {
    const count = countNames(name);
    return deepMembers({ name, members: [] }, given, (written, text) => {
      count(written);
      return encode(text);
    });
  }
  const value = styledValue(given);
  if (value === undefined) return [];
  if (style.explode && value.kind === "list") return value.values.map((entry) => ({ name, value: encode(entry) }));
  if (style.explode && value.kind === "members") {
    return value.members.map(([member, entry]) => ({ name: member, value: encode(entry), members: [member] }));
  }
  const packed = packedIn(style, value);
  const text = partsOf(value).map(encode).join(separator(style, encode));
  return [{ name, value: text, ...(packed && { packed }) }];
}

/** The members of an object that stand in one text. */
export function packedIn({ style, explode }: Style, value: StyledValue): Packed | undefined {
  if (value.kind !== "members") return undefined;
  const { members } = value;
  if (style === "spaceDelimited") return { members, delimiters: " " };
  if (style === "pipeDelimited") return { members, delimiters: "|" };
  if (style === "label") return { members, delimiters: explode ? "." : "," };
  return { members, delimiters: style === "matrix" && explode ? ";" : "," };
}

/** The styles of a path and of headers: a value as one text. */
export function expanded(style: Style, value: StyledValue, encode: Encode): string {
  if (style.style === "label") return `.${members(style, value, encode, style.explode ? "." : ",")}`;
  if (style.style !== "matrix") return members(style, value, encode, ",");
  if (style.explode && value.kind === "list") return value.values.map((entry) => matrix(style.name, entry)).join("");
  if (style.explode && value.kind === "members") return value.members.map((member) => matrix(...member)).join("");
  return named(style.name, members(style, value, encode, ","));

  function matrix(name: string, text: string): string {
    return named(name, encode(text));
  }
  function named(name: string, encoded: string): string {
    return encoded === "" ? `;${encode(name)}` : `;${encode(name)}=${encoded}`;
  }
}

function members({ explode }: Style, value: StyledValue, encode: Encode, between: string): string {
  return explode && value.kind === "members"
    ? value.members.map(([name, text]) => `${encode(name)}=${encode(text)}`).join(between)
    : partsOf(value).map(encode).join(between);
}

/** The texts of a value, side by side: names and values of an object's members in turn. */
export function partsOf(value: StyledValue): readonly string[] {
  if (value.kind === "one") return [value.value];
  return value.kind === "list" ? value.values : value.members.flat();
}

function separator({ style }: Style, encode: Encode): string {
  if (style === "spaceDelimited") return encode(" ");
  return style === "pipeDelimited" ? encode("|") : ",";
}

/**
 * `a[b]=1`. OpenAPI leaves open what is deeper; this is what qs, Rails, PHP and Rack read: `a[b][c]=1`, `a[b][]=1` for an
 * entry of a list, and an index where the entry has members that belong together, `a[b][0][c]=1`.
 */
function deepMembers(
  { name, members }: { readonly name: string; readonly members: readonly string[] },
  value: object,
  encode: (name: string, text: string) => string,
): readonly Written[] {
  const isPlainList = Array.isArray(value) && value.every((entry) => typeof entry !== "object" || entry === null);
  return Object.entries(value).flatMap(([key, entry]): readonly Written[] => {
    if (!isDefined(entry)) return [];
    const inner = {
      name: `${name}[${isPlainList ? "" : key}]`,
      members: Array.isArray(value) ? members : [...members, key],
    };
    return typeof entry === "object"
      ? deepMembers(inner, entry, encode)
      : [{ ...inner, value: encode(inner.name, textOf(entry)) }];
  });
}

/** A value of RFC 6570 §2.3 in text form, unencoded; undefined: null, and lists and objects without a value. */
export type StyledValue =
  | { readonly kind: "one"; readonly value: string }
  | { readonly kind: "list"; readonly values: readonly string[] }
  | { readonly kind: "members"; readonly members: readonly (readonly [string, string])[] };

/**
 * What styles write. They have no place for values inside the values of a list or an object: such a one is JSON text, which
 * is what OpenAPI has for objects inside of forms.
 */
export function styledValue(value: unknown): StyledValue | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    const values = value.filter(isDefined).map(textOf);
    return values.length === 0 ? undefined : { kind: "list", values };
  }
  if (typeof value !== "object") return { kind: "one", value: textOf(value) };
  const members = Object.entries(value)
    .filter(([, entry]) => isDefined(entry))
    .map(([name, entry]) => [name, textOf(entry)] as const);
  return members.length === 0 ? undefined : { kind: "members", members };
}

export function isDefined(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** A string as it stands, anything else as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  // JSON would write an exponent, which readers of integers stop at.
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value).toString();
  return JSON.stringify(value);
}

/** Characters; far more than an API reads. */
const LIMIT = 4 * 1024 * 1024;

/**
 * Counts the names that one argument makes, and throws a `RequestError` when they are too long in all. Lists and deep objects repeat the
 * names above them for each entry: a message of four megabytes could ask for a request of a hundred thousand times as much.
 */
export function countNames(argument: string): (name: string) => void {
  let length = 0;
  return (name) => {
    length += name.length;
    if (length > LIMIT) throw new RequestError(argument, "repeats names that are too long");
  };
}
