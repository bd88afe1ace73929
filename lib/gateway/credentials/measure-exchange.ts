import type { RequestContext } from "../../dependencies.ts";
import type { ExchangeOutcome } from "./exchange.ts";

/** Lets an exchange run as a part of the request's trace, and says how long it took. */
export async function measureExchange(
  app: string,
  { telemetry }: RequestContext,
  exchange: (telemetry: RequestContext["telemetry"]) => Promise<ExchangeOutcome>,
): Promise<ExchangeOutcome> {
  const span = telemetry?.span?.startChild({ name: "token exchange", kind: "internal" });
  const beganAt = performance.now();
  const outcome = await exchange(telemetry && { ...telemetry, span });
  const failure = failureOf(outcome);
  const attributes = { "countersign.app": app, "countersign.outcome": outcome.outcome, "error.type": failure };
  telemetry?.record("countersign.token.exchange.duration", (performance.now() - beganAt) / 1_000, attributes);
  span?.set(attributes);
  span?.end(failure);
  return outcome;
}

function failureOf(outcome: ExchangeOutcome): string | undefined {
  switch (outcome.outcome) {
    case "obtained":
      return undefined;
    case "refused":
      return outcome.error;
    case "unavailable":
      return outcome.reason;
    default:
      return outcome.outcome;
  }
}
