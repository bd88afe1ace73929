import { TOKEN_EXCHANGE } from "../../config/served-grant-types.ts";
import { authenticateOAuthClient } from "../client-authentication.ts";
import { exchangeRequest } from "../exchange/exchange-request.ts";
import { exchangeToken } from "../exchange/exchange-token.ts";
import { measuredExchange } from "../exchange/measured-exchange.ts";
import { unauthorizedExchange } from "../exchange/refusals.ts";
import type { Grant } from "./grant.ts";

/** RFC 8693: a token for another audience, on behalf of the one whose token the client received. */
export const tokenExchange: Grant = {
  grantType: TOKEN_EXCHANGE,
  clients: "oauth_clients",
  requiredParameters: ["subject_token", "subject_token_type"],
  handle: async (request, dependencies, connectors) => {
    // Before the caller is authenticated: an assertion counts once, and a malformed request uses none up.
    const exchange = exchangeRequest(request.form, request.requestId);
    const caller = await authenticateOAuthClient(request, dependencies);
    // Nothing proves that it is the one whose permissions these are.
    if (caller.authentication.method === "none") throw unauthorizedExchange("a public client may not exchange tokens");
    const context = { connectors, waitUntil: request.waitUntil };
    return measuredExchange(dependencies, () => exchangeToken(exchange, caller, dependencies, context));
  },
};
