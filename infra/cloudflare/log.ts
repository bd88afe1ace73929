import { causeOf } from "../../lib/logging/cause.ts";

/** Something that one object could not tell another one. */
export interface DeliveryFailure {
  /** What it was about, for example `event`. */
  readonly kind: string;
  readonly cause: unknown;
}

/** An object's own log lines: it serves no request and has no configuration, so it writes JSON Lines at every setting. */
export function logFailures(object: string, failures: readonly DeliveryFailure[]): void {
  for (const { kind, cause } of failures) {
    logError("delivery to another object failed and will be repeated", { object, kind, cause: causeOf(cause) });
  }
}

/** Without its cache a request reads the registry. */
export function logCacheFailure(cause: unknown): void {
  logError("the cache of API clients failed", { cause: causeOf(cause) });
}

function logError(msg: string, fields: Readonly<Record<string, string>>): void {
  console.error(JSON.stringify({ time: new Date().toISOString(), level: "error", msg, ...fields }));
}
