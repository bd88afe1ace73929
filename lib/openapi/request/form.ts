import { isJsonObject } from "../../kernel/json.ts";
import { essence, isJson } from "../../protocol/http/media-type.ts";
import type { OperationParameter, PropertyEncoding } from "../catalog.ts";
import { RequestError } from "../request-error.ts";
import { queryEncoder } from "./percent-encoding.ts";
import { countNames, isDefined, pairsOf, styleOf, textOf } from "./styles.ts";

/** A property of a body. */
export interface Property {
  /** What errors call it. */
  readonly argument: string;
  readonly name: string;
  readonly value: unknown;
}

export type Encodings = Readonly<Record<string, PropertyEncoding>>;

/** The properties of a whole object. Throws a `RequestError` for anything else. */
export function propertiesOf(argument: string, given: unknown): readonly Property[] {
  if (!isJsonObject(given)) throw new RequestError(argument, "must be an object");
  return Object.entries(given).map(([name, value]) => ({ argument: `${argument}.${name}`, name, value }));
}

/** `application/x-www-form-urlencoded` (URL standard §5), spaces as `%20`. */
export function formText(properties: readonly Property[], encodings: Encodings): string {
  const pairs = properties.flatMap((property) => {
    const encoding = encodingOf(encodings, property.name);
    const encode = queryEncoder({ ...encoding, argument: property.argument }, property.value);
    const { name, value } = property;
    if (isStyled(encoding)) return pairsOf(styleOf({ ...encoding, name }, "query"), value, encode);
    const count = countNames(property.argument);
    return entriesOf(value).map((entry) => {
      count(name);
      return [encode(name), encode(entryText(entry, encoding.contentType))] as const;
    });
  });
  return pairs.map(([name, value]) => `${name}=${value}`).join("&");
}

export function encodingOf(encodings: Encodings, name: string): PropertyEncoding {
  return Object.hasOwn(encodings, name) ? (encodings[name] as PropertyEncoding) : {};
}

/** OpenAPI 3.1.1, Encoding Object: one of these three turns media types off. */
export function isStyled({ style, explode, allowReserved }: PropertyEncoding): boolean {
  return style !== undefined || explode !== undefined || allowReserved !== undefined;
}

/** The entries of a list go into a form one by one; null into none. */
export function entriesOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter(isDefined) : [value].filter(isDefined);
}

export function entryText(entry: unknown, contentType: string | undefined): string {
  return contentType !== undefined && isJson(essence(contentType)) ? JSON.stringify(entry) : textOf(entry);
}

export type ContentKind = NonNullable<OperationParameter["content"]>;

/** The text of a parameter that has a media type instead of a style (OpenAPI, Parameter Object, `content`). */
export function contentText(kind: ContentKind, argument: string, given: unknown): string {
  if (kind === "json") return JSON.stringify(given);
  return kind === "form" ? formText(propertiesOf(argument, given), {}) : textOf(given);
}
