import { isJsonObject } from "../../kernel/json.ts";
import { essence, isJson } from "../../protocol/http/media-type.ts";
import type { OperationParameter, PropertyEncoding } from "../catalog.ts";
import { RequestError } from "../request-error.ts";
import { queryEncoder } from "./percent-encoding.ts";
import { countNames, isDefined, pairsOf, styleOf, textOf, type Written } from "./styles.ts";

/** A property of a body. */
export interface Property {
  /** What errors call it. */
  readonly argument: string;
  /** The argument that it is a part of, where the agent named it. */
  readonly within?: string;
  readonly name: string;
  readonly value: unknown;
}

export type Encodings = Readonly<Record<string, PropertyEncoding>>;

/** The properties of a whole object. Throws a `RequestError` for anything else. */
export function propertiesOf(argument: string, given: unknown): readonly Property[] {
  if (!isJsonObject(given)) throw new RequestError(argument, "must be an object");
  return Object.entries(given).map(([name, value]) => ({
    argument: `${argument}.${name}`,
    within: argument,
    name,
    value,
  }));
}

/** `application/x-www-form-urlencoded` (URL standard §5), spaces as `%20`. */
export function formPairs(properties: readonly Property[], encodings: Encodings): readonly FormPair[] {
  return properties.flatMap((property) => {
    const { argument, name, value } = property;
    const encoding = encodingOf(encodings, name);
    const encode = queryEncoder({ ...encoding, argument }, value);
    const pairs = isStyled(encoding)
      ? pairsOf(styleOf({ ...encoding, name }, "query"), value, encode)
      : plainPairs(property, (entry) => encode(entryText(entry, encoding.contentType)));
    return pairs.map((pair) => ({ ...pair, property, text: `${encode(pair.name)}=${pair.value}` }));
  });
}

export interface FormPair extends Written {
  readonly property: Property;
  /** The whole pair, encoded. */
  readonly text: string;
}

function plainPairs({ argument, name, value }: Property, text: (entry: unknown) => string): readonly Written[] {
  const count = countNames(argument);
  return entriesOf(value).map((entry) => {
    count(name);
    return { name, value: text(entry) };
  });
}

export function formText(properties: readonly Property[], encodings: Encodings): string {
  return formPairs(properties, encodings)
    .map(({ text }) => text)
    .join("&");
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
