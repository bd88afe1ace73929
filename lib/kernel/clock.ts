/** Wall-clock time in milliseconds since the epoch. A dependency, so that tests move it. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
