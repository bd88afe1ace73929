/**
 * A map whose values are made when they are first read, each once, from those of another map. Thousands of values that are made at once
 * hold up every request that comes meanwhile.
 */
export function lazyMap<Key, Source, Value>(
  sources: ReadonlyMap<Key, Source>,
  make: (source: Source, key: Key) => Value,
): ReadonlyMap<Key, Value> {
  const made = new Map<Key, Value>();
  /** In the order of the sources, once all are there: then reading them all is as quick as it is of any map. */
  let whole: ReadonlyMap<Key, Value> | undefined;

  const get = (key: Key): Value | undefined => {
    const known = made.get(key);
    if (known !== undefined || made.has(key) || !sources.has(key)) return known;
    const value = make(sources.get(key) as Source, key);
    made.set(key, value);
    return value;
  };
  const all = (): ReadonlyMap<Key, Value> => {
    whole ??= new Map(Array.from(sources.keys(), (key) => [key, get(key) as Value]));
    return whole;
  };
  return {
    get size() {
      return sources.size;
    },
    has: (key) => sources.has(key),
    get,
    keys: () => sources.keys(),
    values: () => all().values(),
    entries: () => all().entries(),
    forEach: (use) => all().forEach(use),
    [Symbol.iterator]: () => all()[Symbol.iterator](),
  };
}
