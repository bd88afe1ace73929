import type { DeliveryFailure } from "./outbox.ts";

/** An object's own log lines: it serves no request and has no configuration, so it writes JSON Lines at every setting. */
export function logFailures(object: string, failures: readonly DeliveryFailure[]): void {
  for (const { kind, cause } of failures) {
    console.error(
      JSON.stringify({
        time: new Date().toISOString(),
        level: "error",
        msg: "delivery to another object failed and will be repeated",
        object,
        kind,
        cause: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause),
      }),
    );
  }
}
