import type { Clock } from "../clock.ts";
import { sourceKey } from "../net/source.ts";
import { ProblemError } from "../problem.ts";
import { createRateLimit } from "../rate-limit.ts";

/** Bounds the sign-ins to the Console that strangers begin: each is kept for minutes, and anybody can send a request. */
export interface SignInBeginLimit {
  /** @throws ProblemError `unavailable` */
  admit(source: string | undefined): void;
}

/** A company is one address to us. */
const SOURCE_LIMIT = { capacity: 300, perSecond: 5 };
const LIMIT = { capacity: 2_000, perSecond: 100 };

export function createSignInBeginLimit(clock: Clock): SignInBeginLimit {
  const sources = createRateLimit(clock, SOURCE_LIMIT);
  const all = createRateLimit(clock, LIMIT);
  return {
    admit: (source) => {
      if (sources.take(sourceKey(source)) && all.take("")) return;
      throw new ProblemError("unavailable", "More sign-ins begin here than people begin. Try again in a minute.");
    },
  };
}
