import type { BoundedCache } from "./bounded-cache.ts";

/**
 * A size-limited LRU cache: its values weigh no more than `limit` together, the last one on its own excepted, and those read
 * longest ago make room.
 */
export function lruCache<K, V>(
  limit: number,
  weightOf: (value: V) => number,
): Pick<BoundedCache<K, V>, "get" | "put" | "delete"> {
  const entries = new Map<K, V>();
  let weight = 0;

  function remove(key: K): void {
    const value = entries.get(key);
    if (value !== undefined && entries.delete(key)) weight -= weightOf(value);
  }

  return {
    get(key) {
      const value = entries.get(key);
      if (value !== undefined && entries.delete(key)) entries.set(key, value);
      return value;
    },
    put(key, value) {
      remove(key);
      for (const oldest of entries.keys()) {
        if (weight + weightOf(value) <= limit) break;
        remove(oldest);
      }
      entries.set(key, value);
      weight += weightOf(value);
    },
    delete: remove,
  };
}
