/**
 * One object for all JSON values that are equal, order of members included. The operations of an API repeat parameters, bodies and answers
 * hundreds of times: what is made of a document takes the memory of what differs in it, and equal values are compared by identity.
 */
export interface EqualValues {
  /** The one object for the value and all that are equal to it, as JSON has them; those inside of it are such objects, too. */
  readonly one: <T>(value: T) => T;
  /** Characters of the JSON text of a value that `one` gave. */
  readonly lengthOf: (value: unknown) => number;
  /** From 0 on, in the order in which `one` gave them first; undefined for any other object. */
  readonly numberOf: (value: object) => number | undefined;
  /** How many there are. */
  readonly count: () => number;
}

export function createEqualValues(): EqualValues {
  const numbers = new Map<object, number>();
  /** By number; of each object a few bytes. */
  const objects: object[] = [];
  const lengths = wholeNumbers();
  const hashes = wholeNumbers();
  /** The one before that is in the same bucket, as its number and 1; 0: none. */
  const others = wholeNumbers();
  /** By the end of the hash, the last one of it, likewise. */
  let buckets = new Int32Array(1024);
  const textHash = createTextHash();

  function one(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return isInJson(value) ? value : null;
    if (numbers.has(value)) return value;
    const made = Array.isArray(value) ? oneList(value) : oneObject(value as Readonly<Record<string, unknown>>);
    const hash = hashOf(made);
    for (let at = buckets[hash & (buckets.length - 1)] as number; at !== 0; at = others.get(at - 1)) {
      const other = objects[at - 1] as object;
      if (hashes.get(at - 1) === hash && areSame(made, other)) return other;
    }
    const number = objects.push(made) - 1;
    numbers.set(made, number);
    hashes.set(number, hash);
    lengths.set(number, lengthOfMembers(made));
    if (objects.length > buckets.length) widen();
    else putInBucket(number);
    return made;
  }

  function putInBucket(number: number): void {
    const bucket = hashes.get(number) & (buckets.length - 1);
    others.set(number, buckets[bucket] as number);
    buckets[bucket] = number + 1;
  }

  function widen(): void {
    buckets = new Int32Array(buckets.length * 2);
    for (let number = 0; number < objects.length; number++) putInBucket(number);
  }

  function oneList(value: readonly unknown[]): readonly unknown[] {
    const entries = value.map(one);
    return entries.every((entry, index) => entry === value[index]) ? value : entries;
  }

  function oneObject(value: Readonly<Record<string, unknown>>): object {
    let isSame = true;
    const members: [string, unknown][] = [];
    for (const name of Object.keys(value)) {
      const member = value[name];
      const inner = one(member);
      isSame &&= inner === member;
      if (member !== undefined) members.push([name, inner]);
    }
    return isSame ? value : Object.fromEntries(members);
  }

  function hashOf(value: object): number {
    let hash = Array.isArray(value) ? 1 : 2;
    for (const [name, member] of Object.entries(value)) {
      hash = mixed(mixed(hash, textHash(name, 0)), memberHash(member));
    }
    return hash;
  }

  function memberHash(value: unknown): number {
    if (typeof value === "object" && value !== null) return hashes.get(numbers.get(value) ?? 0);
    return typeof value === "string" ? textHash(value, 0) : textHash(String(value), 1);
  }

  function lengthOf(value: unknown): number {
    const number = typeof value === "object" && value !== null ? numbers.get(value) : undefined;
    return number === undefined ? JSON.stringify(value).length : lengths.get(number);
  }

  function lengthOfMembers(value: object): number {
    const members = Object.entries(value);
    const names = Array.isArray(value) ? 0 : members.reduce((sum, [name]) => sum + JSON.stringify(name).length + 1, 0);
    const separators = Math.max(members.length - 1, 0);
    return 2 + names + separators + members.reduce((sum, [, member]) => sum + lengthOf(member), 0);
  }

  return {
    one: one as EqualValues["one"],
    lengthOf,
    numberOf: (value) => numbers.get(value),
    count: () => objects.length,
  };
}

/** A list of whole numbers up to 2³¹, 0 where none was set. */
function wholeNumbers() {
  let values = new Int32Array(1024);
  return {
    get: (place: number) => values[place] as number,
    set(place: number, value: number) {
      if (place >= values.length) {
        const wider = new Int32Array(values.length * 2);
        wider.set(values);
        values = wider;
      }
      values[place] = value;
    },
  };
}

/** Undefined members are left out, and what is beyond all doubles is null. */
function isInJson(value: unknown): boolean {
  return typeof value === "number" ? Number.isFinite(value) : value !== undefined;
}

/** Members that are objects are the one of their kind already. */
function areSame(one: object, other: object): boolean {
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  if (names.length !== others.length) return false;
  return names.every((name, index) => {
    return (
      name === others[index] && (one as Record<string, unknown>)[name] === (other as Record<string, unknown>)[name]
    );
  });
}

/**
 * HalfSipHash-1-3 (J.-P. Aumasson, D. J. Bernstein, "SipHash") over all of a text, its length and what kind it is of. The key is random:
 * whoever writes a document cannot choose texts whose hashes are the same, which would all be compared with each other.
 */
function createTextHash(): (text: string, kind: 0 | 1) => number {
  const [key0, key1] = crypto.getRandomValues(new Int32Array(2)) as unknown as readonly [number, number];
  return (text, kind) => {
    const { length } = text;
    let [v0, v1, v2, v3] = [key0, key1, key0 ^ 0x6c796765, key1 ^ 0x74656462];
    // Two characters a round, then the length, then the three rounds of the end.
    const end = length + (length & 1);
    for (let at = 0; at <= end + 6; at += 2) {
      let word = 0;
      if (at + 1 < length) word = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
      else if (at < length) word = text.charCodeAt(at);
      else if (at === end) word = (length << 1) | kind;
      else if (at === end + 2) v2 ^= 0xff;
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    return v1 ^ v3;
  };
}

/** 30 bits, which take no object of their own. */
function mixed(hash: number, other: number): number {
  const sum = Math.imul(hash ^ other, 0x5bd1e995);
  return (sum ^ (sum >>> 15)) & 0x3fffffff;
}
