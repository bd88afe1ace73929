/** Imported keys kept by fingerprint; the one that was imported longest ago makes room. */
export interface KeptKeys<Key> {
  get(name: string): Key | undefined;
  put(name: string, key: Key): Key;
}

const MAXIMUM = 10_000;

export function keptKeys<Key>(maximum = MAXIMUM): KeptKeys<Key> {
  const keys = new Map<string, Key>();
  return {
    get: (name) => keys.get(name),
    put: (name, key) => {
      const oldest = keys.keys().next().value;
      if (keys.size >= maximum && oldest !== undefined) keys.delete(oldest);
      keys.set(name, key);
      return key;
    },
  };
}
