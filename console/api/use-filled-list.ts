import { useEffect, useState } from "react";
import { type List, useList } from "./use-list.ts";
import type { ReadOptions } from "./use-read.ts";

/**
 * A list whose pages may be short, or empty, though more follow: it reads on until there is something new to show, or nothing is
 * left. A page that failed is not asked for again until the person wants it.
 */
export function useFilledList<Item>(path: string, options: ReadOptions = {}): List<Item> {
  const list = useList<Item>(path, options);
  const asked = JSON.stringify([path, options.query]);
  /** How many items of which list were shown when the person asked for more. */
  const [before, setBefore] = useState({ asked, count: 0 });
  const shown = before.asked === asked ? before.count : 0;
  const { items, error, isFetching, readMore } = list;
  const isShort = items !== undefined && items.length <= shown && list.hasMore && error === null;
  useEffect(() => {
    if (isShort && !isFetching) readMore();
  });
  return {
    ...list,
    // Nothing so far is not the same as nothing.
    items: isShort && items.length === 0 ? undefined : items,
    isReadingMore: list.isReadingMore || isShort,
    readMore: () => {
      setBefore({ asked, count: items?.length ?? 0 });
      readMore();
    },
  };
}
