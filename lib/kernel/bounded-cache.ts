/**
 * A size-limited cache: the key that was put longest ago makes room for a new one, however often it was read. Nothing takes
 * longer when it is full.
 */
export interface BoundedCache<K, V> {
  get(key: K): V | undefined;
  /** Puts a key at the end, also one that is there already. */
  put(key: K, value: V): void;
  delete(key: K): void;
  /** The value that the next new key displaces; undefined while there is room. */
  displaced(): V | undefined;
}

/** With its neighbours by the time of putting. */
interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

/**
 * A list beside a `Map`, whose own order would do if its beginning could be found: an iterator passes over the places of
 * all that was deleted there before.
 */
export function boundedCache<K, V>(capacity: number): BoundedCache<K, V> {
  const entries = new Map<K, Entry<K, V>>();
  let oldest: Entry<K, V> | undefined;
  let newest: Entry<K, V> | undefined;

  const append = (key: K, value: V): Entry<K, V> => {
    const entry: Entry<K, V> = { key, value, older: newest, newer: undefined };
    if (newest === undefined) oldest = entry;
    else newest.newer = entry;
    newest = entry;
    return entry;
  };
  const unlink = (entry: Entry<K, V>): void => {
    const { older, newer } = entry;
    if (older === undefined) oldest = newer;
    else older.newer = newer;
    if (newer === undefined) newest = older;
    else newer.older = older;
    // What is no longer there keeps nothing alive.
    entry.older = undefined;
    entry.newer = undefined;
  };
  const forget = (entry: Entry<K, V> | undefined): void => {
    if (entry === undefined) return;
    unlink(entry);
    entries.delete(entry.key);
  };
  return {
    get: (key) => entries.get(key)?.value,
    put: (key, value) => {
      const known = entries.get(key);
      if (known !== undefined) unlink(known);
      else if (entries.size >= capacity) forget(oldest);
      entries.set(key, append(key, value));
    },
    delete: (key) => forget(entries.get(key)),
    displaced: () => (entries.size < capacity ? undefined : oldest?.value),
  };
}
