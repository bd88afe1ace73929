import { base64url, fromBase64url, utf8 } from "../kernel/encoding.ts";

export interface PageRequest {
  readonly limit: number;
  /** Opaque; from the previous page's `nextCursor`. A text that is no cursor of this list reads as the beginning; the API refuses it. */
  readonly cursor?: string;
}

/** A number that may be the least that there are. */
export interface Total {
  readonly count: number;
  readonly isExact: boolean;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** A page from up to `limit + 1` items: the extra one tells that there is a next page. */
export function pageOf<T>(found: readonly T[], limit: number, cursorOf: (item: T) => string): Page<T> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return found.length > limit && last !== undefined ? { items, nextCursor: cursorOf(last) } : { items };
}

/** An opaque cursor: where a list goes on that is in the order of these texts. */
export function cursorOf(position: readonly string[]): string {
  return base64url(utf8(JSON.stringify(position)));
}

/** So many texts of a cursor; undefined for a text that is none of this list. */
export function positionOf(cursor: string | undefined, length: number): readonly string[] | undefined {
  const bytes = cursor === undefined ? undefined : fromBase64url(cursor);
  if (bytes === undefined) return undefined;
  const position = parsed(new TextDecoder().decode(bytes));
  const isPosition = Array.isArray(position) && position.length === length;
  return isPosition && position.every((text) => typeof text === "string") ? position : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
