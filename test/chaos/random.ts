import { seededRandom } from "../support/seeded-random.ts";

/** Choices that are the same for the same seed. Which of them meet in time is the machine's affair. */
export interface Random {
  /** 0 inclusive to 1 exclusive. */
  next(): number;
  /** Whole numbers, both inclusive. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  /** Undefined when the list is empty. */
  pick<T>(list: readonly T[]): T | undefined;
  /** An independent sequence, so that one actor's choices do not depend on another's pace. */
  fork(): Random;
}

export function seededChoices(seed: number): Random {
  const next = seededRandom(seed);
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)],
    fork: () => seededChoices(between(0, 2 ** 32 - 1)),
  };
}
