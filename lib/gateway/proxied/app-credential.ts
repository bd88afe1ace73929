import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import type { CredentialCall } from "../credentials/credentials.ts";
import { exchangeTerms } from "../credentials/terms.ts";
import type { Gateway } from "../gateway.ts";
import { GatewayError } from "../gateway-error.ts";
import type { OutboundCredential } from "../obtain-credential.ts";
import type { Destination } from "./forward-request.ts";

/**
 * What requests carry that are for no tool: lists, sessions, answers. A token is exchanged as for a tool without a name: with
 * the scopes of an entry whose pattern takes any text, else without scopes. Nothing is recorded, as no tool is called.
 *
 * @throws GatewayError as `obtainCredential` does: `token_refused`, `credential_refused`, `credential_unavailable`
 */
export async function appCredential(
  app: McpProxyAppConfiguration,
  caller: CredentialCall,
  gateway: Pick<Gateway, "credentials">,
): Promise<OutboundCredential> {
  const destination = appDestination(app);
  if (destination.terms === undefined) return { headers: {} };
  const outcome = await gateway.credentials.obtain(destination, caller);
  switch (outcome.outcome) {
    case "obtained":
      return { headers: { authorization: `Bearer ${outcome.token}` }, token: outcome.token };
    case "token_refused":
      throw new GatewayError("token_refused", "The access token is not good for an exchange any more.");
    case "refused":
      throw new GatewayError(
        "credential_refused",
        `The gateway is not given a token for the app "${app.name}" (${outcome.error}).`,
      );
    case "unavailable":
      throw new GatewayError(
        "credential_unavailable",
        `The server that gives out tokens for the app "${app.name}" cannot be asked now. Try again later.`,
      );
  }
}

/** The app, and what tokens are exchanged for where a request is for none of its tools; also for `renewCredential`. */
export function appDestination(app: McpProxyAppConfiguration): Destination {
  return { app, terms: exchangeTerms(app)("") };
}
