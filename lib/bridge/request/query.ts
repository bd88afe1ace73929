import type { OperationParameter } from "../catalog.ts";
import { contentText } from "./content.ts";
import { percentEncoder, queryEncoder } from "./percent-encoding.ts";
import { pairsOf, styleOf } from "./styles.ts";

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
