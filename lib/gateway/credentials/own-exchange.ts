import { findClient } from "../../authorization-server/clients/find-client.ts";
import { exchangeToken } from "../../authorization-server/exchange/exchange-token.ts";
import type { AuthorizationServerPorts } from "../../authorization-server/ports.ts";
import type { Connector } from "../../connectors/connectors.ts";
import { causeOf } from "../../logging/cause.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import { StoreUnavailableError } from "../../stores/unavailable.ts";
import {
  ACCESS_TOKEN,
  type Exchange,
  type ExchangeOutcome,
  isBearerToken,
  refusedExchange,
  requestedSeconds,
} from "./exchange.ts";

/**
 * Exchanges at this very instance, in process: the gateway is the client that the configuration says, and has no need to
 * prove it.
 */
export function createOwnExchange(
  clientID: string,
  connectors: readonly Connector[],
  ports: AuthorizationServerPorts,
): Exchange {
  return async (subjectToken, { mode, audience, scopes, ttl }, { requestId, logger, waitUntil }) => {
    try {
      const client = await findClient(clientID, ports);
      if (client === undefined) return refusedExchange("invalid_client");
      const request = {
        subjectToken,
        subjectTokenType: ACCESS_TOKEN,
        audience,
        ...(scopes.length > 0 && { scope: scopes.join(" ") }),
        requestedTokenType: ACCESS_TOKEN,
        requestedExpiresIn: requestedSeconds(ttl),
        mode,
        requestId,
      };
      const issued = await exchangeToken(request, client, ports, { connectors, waitUntil });
      if (!isBearerToken(issued.issued_token_type, issued.token_type)) return refusedExchange("other");
      return { outcome: "obtained", token: issued.access_token, expiresIn: issued.expires_in };
    } catch (cause) {
      logger.warn("token not exchanged", { server: "oidcProvider", audience, cause: causeOf(cause) });
      return outcomeOf(cause);
    }
  };
}

function outcomeOf(cause: unknown): ExchangeOutcome {
  if (cause instanceof OAuthError) return refusedExchange(cause.code);
  return { outcome: "unavailable", reason: cause instanceof StoreUnavailableError ? "store_unavailable" : "internal" };
}
