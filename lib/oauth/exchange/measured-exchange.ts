import { TOKEN_EXCHANGE } from "../../config/served-grant-types.ts";
import type { Dependencies } from "../../dependencies.ts";
import { OAuthError } from "../errors.ts";

/**
 * Records how long an exchange at the token endpoint took, and how it ended: `issued`, the error code, or `error` for
 * anything else. Those of the gateway are recorded there, by app.
 */
export async function measuredExchange<T>(
  { telemetry }: Pick<Dependencies, "telemetry">,
  exchange: () => Promise<T>,
): Promise<T> {
  if (telemetry === undefined) return exchange();
  const beganAt = performance.now();
  const record = (outcome: string) =>
    telemetry.record("countersign.token.exchange.duration", (performance.now() - beganAt) / 1_000, {
      "countersign.grant": TOKEN_EXCHANGE,
      "countersign.outcome": outcome,
    });
  try {
    const exchanged = await exchange();
    record("issued");
    return exchanged;
  } catch (error) {
    record(error instanceof OAuthError ? error.code : "error");
    throw error;
  }
}
