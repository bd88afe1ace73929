import { seededRandom } from "../support/seeded-random.ts";

/** A source of choices that a seed determines, so that a run can be repeated. */
export interface Prng {
  /** A whole number from 0 up to `below`, which is not included. */
  int(below: number): number;
  /** True with the probability `share`. */
  chance(share: number): boolean;
  pick<T>(among: readonly T[]): T;
  bytes(length: number): Buffer;
  /** Characters of an alphabet; a long text repeats its beginning. */
  text(length: number, alphabet?: string): string;
}

/** Characters of a text that are each a choice of their own. */
const CHOSEN = 1_000;
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

export function prng(seed: string): Prng {
  const next = seededRandom(hashOf(seed));
  const int = (below: number) => Math.floor(next() * below);
  return {
    int,
    chance: (share) => next() < share,
    pick: <T>(among: readonly T[]) => among[int(among.length)] as T,
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(256))),
    text: (length, alphabet = LETTERS) => {
      const start = Array.from({ length: Math.min(length, CHOSEN) }, () => alphabet[int(alphabet.length)]).join("");
      return start.padEnd(length, start);
    },
  };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}
