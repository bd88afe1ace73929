import { TOKEN_EXCHANGE } from "../../config/app-configuration.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import { authenticateOAuthClient } from "../client-authentication.ts";
import { exchangeRequest } from "../exchange/exchange-request.ts";
import { exchangeToken } from "../exchange/exchange-token.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import { unauthorizedClient } from "../refusals.ts";
import type { Grant } from "./grant.ts";

/** The token exchange grant (RFC 8693): a token for another audience, on behalf of the subject of a token. */
export const tokenExchange: Grant = {
  grantType: TOKEN_EXCHANGE,
  requiredParameters: ["subject_token", "subject_token_type"],
  handle: async (request, dependencies, connectors) => {
    // Before the caller authenticates: an assertion counts once, and a malformed request must not use it up.
    const exchange = exchangeRequest(request.form, request.requestId);
    const caller = await authenticateOAuthClient(request, dependencies);
    // A public client cannot prove that these are its permissions.
    if (caller.authentication.method === "none") throw unauthorizedClient("a public client may not exchange tokens");
    const context = { connectors, waitUntil: request.waitUntil };
    return measuredExchange(dependencies, () => exchangeToken(exchange, caller, dependencies, context));
  },
};

/**
 * Records the duration of an exchange at the token endpoint and its outcome: `issued`, the error code, or `error` for
 * anything else. The gateway records its own exchanges, by app.
 */
async function measuredExchange<T>(
  { telemetry }: Pick<AuthorizationServerPorts, "telemetry">,
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
