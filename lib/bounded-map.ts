/** A map of bounded size: the key that was put longest ago makes room for a new one. */
export interface BoundedMap<K, V> {
  get(key: K): V | undefined;
  /** Puts a key at the end, also one that is there already. */
  put(key: K, value: V): void;
  delete(key: K): void;
  /** The value that the next new key displaces; undefined while there is room. */
  displaced(): V | undefined;
}

export function boundedMap<K, V>(capacity: number): BoundedMap<K, V> {
  const entries = new Map<K, V>();
  return {
    get: (key) => entries.get(key),
    put: (key, value) => {
      entries.delete(key);
      if (entries.size >= capacity) forgetOldest(entries);
      entries.set(key, value);
    },
    delete: (key) => {
      entries.delete(key);
    },
    displaced: () => (entries.size < capacity ? undefined : entries.values().next().value),
  };
}

function forgetOldest(entries: Map<unknown, unknown>): void {
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
