import type { Page } from "../paging.ts";

/** A page from up to `limit + 1` items: the extra one tells that there is a next page. */
export function pageOf<T>(found: readonly T[], limit: number, cursorOf: (item: T) => string): Page<T> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return found.length > limit && last !== undefined ? { items, nextCursor: cursorOf(last) } : { items };
}
