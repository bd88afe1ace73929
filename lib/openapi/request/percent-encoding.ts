import { RequestError } from "../request-error.ts";

export type Encode = (text: string) => string;

/** Percent-encodes everything but letters, digits and `-._~` (RFC 6570 §3.2.2). Half a surrogate pair has no UTF-8 and is refused. */
export function percentEncoder(argument: string): Encode {
  return (text) =>
    encodeURIComponent(wellFormed(argument, text)).replaceAll(/[!'()*]/g, (mark) => MARKS[mark] as string);
}

/** What `encodeURIComponent` leaves although RFC 3986 reserves it. */
const MARKS: Readonly<Record<string, string>> = { "!": "%21", "'": "%27", "(": "%28", ")": "%29", "*": "%2A" };

/** That of a query or a form; the value decides whether commas stand between items. */
export function queryEncoder(
  { argument, allowReserved }: { readonly argument: string; readonly allowReserved?: true },
  value: unknown,
): Encode {
  if (!allowReserved) return percentEncoder(argument);
  const encode = reservedInQuery(argument);
  return typeof value === "object" ? asItem(encode) : encode;
}

/**
 * `allowReserved` in a query or a form (RFC 6570 §3.2.3): what RFC 3986 reserves stays, and so do percent-encoded triples.
 * Encoded all the same is what would end the value (`&`, `;`, `#`), read as a space (`+`) or has no place in a query
 * (`[`, `]`): OpenAPI leaves that to the application.
 */
function reservedInQuery(argument: string): Encode {
  return (text) =>
    encodeURIComponent(wellFormed(argument, text))
      .replaceAll(/%(?:3A|2F|3F|40|24|2C|3D)/g, decodeURIComponent)
      .replaceAll(/%25([0-9A-Fa-f]{2})/g, "%$1");
}

/**
 * `allowReserved` in a path (OpenAPI 3.2). `/`, `?` and `#` would end the segment; triples are encoded once more, because
 * `%2F` or `%2E` would leave it in whatever decodes the path (checklist 28).
 */
export function reservedInPath(argument: string): Encode {
  return (text) =>
    encodeURIComponent(wellFormed(argument, text)).replaceAll(/%(?:3A|40|24|26|2B|2C|3B|3D)/g, decodeURIComponent);
}

/** An item among others: a comma of its own is not one between items. */
export function asItem(encode: Encode): Encode {
  return (text) => encode(text).replaceAll(",", "%2C");
}

export function wellFormed(argument: string, text: string): string {
  if (!text.isWellFormed()) throw new RequestError(argument, "is not valid Unicode text");
  return text;
}
