import type { Clock } from "../../clock.ts";
import { sourceKey } from "../../net/source.ts";
import { PageError } from "../../pages/page-error.ts";
import { createRateLimit } from "../../rate-limit.ts";

/** Bounds the sign-ins that strangers begin: each is kept for ten minutes, and anybody can send a request. */
export interface SignInLimit {
  /** @throws {PageError} 429 */
  admit(source: string | undefined): void;
}

/** A company is one address to us, and its people all begin in the morning. */
const SOURCE_LIMIT = { capacity: 1_000, perSecond: 10 };
const LIMIT = { capacity: 5_000, perSecond: 200 };

export function createSignInLimit(clock: Clock): SignInLimit {
  const sources = createRateLimit(clock, SOURCE_LIMIT);
  const all = createRateLimit(clock, LIMIT);
  return {
    admit: (source) => {
      if (sources.take(sourceKey(source)) && all.take("")) return;
      throw new PageError("Too many sign-ins", "More sign-ins began here than people begin.", {
        status: 429,
        advice: "Wait a minute, go back to the application, and try again.",
      });
    },
  };
}
