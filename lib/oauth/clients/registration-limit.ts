import type { Clock } from "../../clock.ts";
import { sourceKey } from "../../net/source.ts";
import { createRateLimit } from "../../rate-limit.ts";
import { OAuthError } from "../errors.ts";

/** Bounds what strangers write: a registration is kept for good. */
export interface RegistrationLimit {
  /** @throws {OAuthError} `temporarily_unavailable`, 429 with `Retry-After` */
  admit(source: string | undefined): void;
}

export function createRegistrationLimit(clock: Clock): RegistrationLimit {
  const sources = createRateLimit(clock, { capacity: 20, perSecond: 1 / SECONDS_FOR_ONE });
  const all = createRateLimit(clock, { capacity: 200, perSecond: 1 });
  return {
    admit: (source) => {
      if (sources.take(sourceKey(source)) && all.take("")) return;
      throw new OAuthError("temporarily_unavailable", {
        status: 429,
        description: "too many registrations; a client registers once and keeps its client_id",
        retryAfter: SECONDS_FOR_ONE,
      });
    },
  };
}

const SECONDS_FOR_ONE = 30;
