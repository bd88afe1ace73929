import type { Round } from "./round.ts";

/** Instances that share nothing but the store. */
export interface Instances {
  /** Each takes one of each of the limits. The names of those that let one through, once for each that did. */
  take(round: Round): Promise<readonly string[]>;
  stop(): Promise<void>;
}
