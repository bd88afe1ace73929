export interface PageRequest {
  readonly limit: number;
  /** Opaque; from the previous page's `nextCursor`. A text that is no cursor of this list reads as the beginning; the API refuses it. */
  readonly cursor?: string;
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
