import type { OperationParameter } from "../catalog.ts";
import { RequestError } from "../request-error.ts";
import { type ContentKind, contentText, formPairs, propertiesOf } from "./form.ts";
import { percentEncoder, queryEncoder } from "./percent-encoding.ts";
import { expanded, packedIn, pairsOf, partsOf, styledValue, styleOf, type Written } from "./styles.ts";
import type { WrittenName } from "./written-names.ts";

/** A part of a request's line or head, with the names in it. */
export interface WrittenPair extends WrittenName {
  /** Name and value, encoded. */
  readonly text: string;
}

/** A header's name and value; undefined: nothing to send. */
export function headerOf(
  parameter: OperationParameter,
  given: unknown,
): (WrittenName & { readonly value: string }) | undefined {
  const { argument, content } = parameter;
  const style = styleOf(parameter, "header");
  const value = styledValue(content === undefined ? given : headerText(content, argument, given));
  const text = value === undefined ? "" : expanded(style, value, (part) => part);
  if (value === undefined && !parameter.required) return undefined;
  // RFC 9110 §5.5: visible characters, spaces and tabs; a line break would start another header.
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) throw new RequestError(argument, "cannot be sent in an HTTP header");
  const name = parameter.name.toLowerCase();
  const packed = value && packedIn(style, value);
  return { argument, source: argument, place: "header", own: name, name, value: text, ...(packed && { packed }) };
}

/**
 * The cookies of a declared parameter. An exploded value is several: behind a `&`, which `form` asks for, no server would look for
 * the second.
 */
export function cookiePairs(parameter: OperationParameter, given: unknown): readonly WrittenPair[] {
  const { argument, name, content } = parameter;
  const style = styleOf(parameter, "cookie");
  const encode = style.style === "cookie" ? plainCookie(argument) : percentEncoder(argument);
  const value = content === undefined ? given : contentText(content, argument, given);
  const pairs = pairsOf(style, value, encode);
  const written = pairs.length === 0 && parameter.required ? [{ name, value: "" }] : pairs;
  const behindComma = style.explode ? [] : textsOf(value).slice(1);
  return written.map((pair) => ({
    ...ofParameter(parameter, "cookie", pair, `${encode(pair.name)}=${pair.value}`),
    // Servers that still split at commas (RFC 2109 §4.3.2) would read a cookie without a value.
    ...(behindComma.length > 0 && { behindComma }),
  }));
}

function textsOf(value: unknown): readonly string[] {
  const styled = styledValue(value);
  return styled === undefined ? [] : partsOf(styled);
}

function ofParameter(
  { argument, name: own }: OperationParameter,
  place: WrittenName["place"],
  { name, members, packed }: Written,
  text: string,
): WrittenPair {
  return { argument, source: argument, place, own, name, ...(members && { members }), ...(packed && { packed }), text };
}

/** OpenAPI 3.2, style `cookie`: nothing is encoded, so that only what a cookie can hold (RFC 6265 §4.1.1) is accepted. */
function plainCookie(argument: string): (text: string) => string {
  return (text) => {
    if (!/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(text)) {
      throw new RequestError(
        argument,
        "cannot be sent in a cookie: no spaces, commas, semicolons, quotes or backslashes",
      );
    }
    return text;
  };
}

/** Outside of ASCII there are no characters in JSON but those of its strings, which have escapes. */
function headerText(kind: ContentKind, argument: string, given: unknown): string {
  const text = contentText(kind, argument, given);
  if (kind !== "json") return text;
  return text.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** What a parameter adds to the query; its texts stand between `&`. */
export function queryPairs(parameter: OperationParameter, given: unknown): readonly WrittenPair[] {
  const { argument, content, name } = parameter;
  if (parameter.in === "querystring") return wholeQuery(parameter, given);
  const value = content === undefined ? given : contentText(content, argument, given);
  const encode = queryEncoder(parameter, value);
  const pairs = pairsOf(styleOf(parameter, "query"), value, encode);
  // A list without entries is as absent as a style can write it; a required one is an empty text.
  const written = pairs.length === 0 && parameter.required ? [{ name, value: "" }] : pairs;
  return written.map((pair) => ofParameter(parameter, "query", pair, `${encode(pair.name)}=${pair.value}`));
}

/** OpenAPI 3.2: the parameter is the whole query. */
function wholeQuery({ argument, content = "form" }: OperationParameter, given: unknown): readonly WrittenPair[] {
  const from = { argument, source: argument, place: "query" } as const;
  if (content === "form") {
    const pairs = formPairs(propertiesOf(argument, given), {});
    return pairs.map(({ name, text }) => ({ ...from, name, members: [name], text }));
  }
  return [{ ...from, name: "", text: percentEncoder(argument)(contentText(content, argument, given)) }];
}
