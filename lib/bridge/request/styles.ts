import type { ParameterLocation, ParameterStyle } from "../catalog.ts";
import { countNames } from "./count-names.ts";
import type { Encode } from "./percent-encoding.ts";
import { isDefined, type StyledValue, styledValue, textOf } from "./values.ts";

/** How one value is written (OpenAPI 3.2, Style Values); defaults filled in. */
export interface Style {
  readonly name: string;
  readonly style: ParameterStyle;
  readonly explode: boolean;
}

export type Pair = readonly [name: string, value: string];

/** Fills in the defaults of the Parameter Object. */
export function styleOf(
  { style, explode, name }: Partial<Style> & { readonly name: string },
  location: ParameterLocation,
): Style {
  const known = style ?? (location === "path" || location === "header" ? "simple" : "form");
  return { name, style: known, explode: explode ?? (known === "form" || known === "cookie") };
}

/** The styles of a query, of forms and of cookies: a value as pairs of encoded names and values. */
export function pairsOf(style: Style, given: unknown, encode: Encode): readonly Pair[] {
  if (style.style === "deepObject" && typeof given === "object" && given !== null) {
    const count = countNames(style.name);
    return deepMembers(style.name, given).map(([name, value]) => {
      count(name);
      return [encode(name), encode(value)];
    });
  }
  const value = styledValue(given);
  if (value === undefined) return [];
  if (style.explode && value.kind === "list") return value.values.map((entry) => [encode(style.name), encode(entry)]);
  if (style.explode && value.kind === "members") {
    return value.members.map(([name, entry]) => [encode(name), encode(entry)]);
  }
  return [[encode(style.name), partsOf(value).map(encode).join(separator(style, encode))]];
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

function partsOf(value: StyledValue): readonly string[] {
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
function deepMembers(name: string, value: object): readonly Pair[] {
  const isPlainList = Array.isArray(value) && value.every((entry) => typeof entry !== "object" || entry === null);
  return Object.entries(value).flatMap(([key, entry]): readonly Pair[] => {
    if (!isDefined(entry)) return [];
    const inner = `${name}[${isPlainList ? "" : key}]`;
    return typeof entry === "object" ? deepMembers(inner, entry) : [[inner, textOf(entry)]];
  });
}
