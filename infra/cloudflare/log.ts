import { systemClock } from "../../lib/kernel/clock.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { causeOf } from "../../lib/logging/cause.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { instanceLog, unconfiguredLogger } from "../edge/instance-log.ts";

/** Something that one object could not tell another one. */
export interface DeliveryFailure {
  /** What it was about, for example `event`. */
  readonly kind: string;
  readonly cause: unknown;
}

/** What an object logs. */
export interface ObjectLog {
  failures(failures: readonly DeliveryFailure[]): void;
}

/**
 * An object serves no request and has no configuration, so it writes JSON Lines at every setting, as an instance of its
 * own. To be made in a constructor: before that, Workers has no random bits.
 * @param object for example `registry`
 */
export function objectLog(object: string): ObjectLog {
  const logger = plainLogger();
  return {
    failures: (failures) => {
      for (const { kind, cause } of failures) {
        const fields = { object, kind, cause: causeOf(cause) };
        logger.error("delivery to another object failed and will be repeated", fields);
      }
    },
  };
}

/** For what runs without the product's own logger. */
export function plainLogger(): Logger {
  return unconfiguredLogger(
    instanceLog((line) => console.error(line), webCryptoRandom),
    systemClock,
  );
}
