import type { OperationParameter } from "../catalog.ts";
import { RequestError } from "../request-error.ts";
import { type ContentKind, contentText } from "./form.ts";
import { percentEncoder, queryEncoder } from "./percent-encoding.ts";
import { expanded, type Pair, pairsOf, styledValue, styleOf } from "./styles.ts";

/** A header's name and value; undefined: nothing to send. */
export function headerOf(parameter: OperationParameter, given: unknown): Pair | undefined {
  const { argument, content } = parameter;
  const value = styledValue(content === undefined ? given : headerText(content, argument, given));
  const text = value === undefined ? "" : expanded(styleOf(parameter, "header"), value, (part) => part);
  if (value === undefined && !parameter.required) return undefined;
  // RFC 9110 §5.5: visible characters, spaces and tabs; a line break would start another header.
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) throw new RequestError(argument, "cannot be sent in an HTTP header");
  return [parameter.name.toLowerCase(), text];
}

/** The `Cookie` header of declared parameters, and of nothing else; undefined: none is given. */
export function cookieHeader(
  parameters: readonly OperationParameter[],
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  const pairs = parameters.flatMap((parameter) => cookiePairs(parameter, given[parameter.argument]));
  return pairs.length === 0 ? undefined : pairs.map(([name, value]) => `${name}=${value}`).join("; ");
}

/** An exploded value is several cookies: behind a `&`, which `form` asks for, no server would look for the second. */
function cookiePairs(parameter: OperationParameter, given: unknown): readonly Pair[] {
  const { argument, name, content } = parameter;
  const style = styleOf(parameter, "cookie");
  const encode = style.style === "cookie" ? plainCookie(argument) : percentEncoder(argument);
  const value = content === undefined ? given : contentText(content, argument, given);
  const pairs = pairsOf(style, value, encode);
  return pairs.length === 0 && parameter.required ? [[encode(name), ""]] : pairs;
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

/** What a parameter adds to the query, joined by `&`; empty: nothing. */
export function queryText(parameter: OperationParameter, given: unknown): string {
  const { argument, content } = parameter;
  // OpenAPI 3.2: the parameter is the whole query.
  if (parameter.in === "querystring") {
    const text = contentText(content ?? "form", argument, given);
    return content === "json" || content === "text" ? percentEncoder(argument)(text) : text;
  }
  const value = content === undefined ? given : contentText(content, argument, given);
  const encode = queryEncoder(parameter, value);
  const pairs = pairsOf(styleOf(parameter, "query"), value, encode);
  // A list without entries is as absent as a style can write it; a required one is an empty text.
  if (pairs.length === 0 && parameter.required) return `${encode(parameter.name)}=`;
  return pairs.map(([name, text]) => `${name}=${text}`).join("&");
}
