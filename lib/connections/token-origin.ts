import type { OAuthConnectorConfiguration } from "../config/configuration.ts";
import { isSameIssuer } from "../protocol/oauth/issuer.ts";
import type { ProviderTokens } from "./provider.ts";
import type { ResolvedProvider } from "./resolved-provider.ts";
import type { ConnectionTokens } from "./vault.ts";

/** What is sealed of what a provider gave: the tokens, and who gave them to whom. */
export function sealable({ accessToken, refreshToken, issuer, tokenURL, clientID }: ProviderTokens): ConnectionTokens {
  return {
    ...{ accessToken, clientID },
    ...(refreshToken !== undefined && { refreshToken }),
    ...(issuer !== undefined && { issuer }),
    ...(tokenURL !== undefined && { tokenURL }),
  };
}

type Origin = Pick<ConnectionTokens, "issuer" | "tokenURL">;
type Endpoints = Pick<OAuthConnectorConfiguration, "endpoints">;

/** Whether the provider gave the tokens, to the client that we are there: only then a refresh token, or a revocation, goes to it. */
export function isOfProvider(
  tokens: Origin & Pick<ConnectionTokens, "clientID">,
  provider: Pick<ResolvedProvider, "issuer" | "tokenURL" | "clientID">,
  { connector }: { readonly connector: Endpoints },
): boolean {
  return isGivenBy(tokens, provider, connector) && tokens.clientID === provider.clientID;
}

/**
 * Whether the provider that the connector names gave the tokens, as far as the configuration alone tells: for access tokens, whose calls
 * do not wait until a provider is discovered. Our client id there may be another by now: an access token serves all the same.
 */
export function isOfConnector(tokens: Origin, connector: Endpoints): boolean {
  const { endpoints } = connector;
  if (endpoints.kind === "static") return isGivenBy(tokens, endpoints, connector);
  const { issuer = tokens.issuer } = endpoints;
  return tokens.issuer !== undefined && issuer !== undefined && isSameIssuer(issuer, tokens.issuer);
}

/**
 * Where no issuer was known, the token endpoint tells providers apart: client ids do not, as ours may be one URL everywhere. An operator
 * who writes an issuer down later, beside the same endpoint, means the same provider. A discovered provider always has an issuer.
 */
function isGivenBy(
  tokens: Origin,
  { issuer, tokenURL }: Pick<ResolvedProvider, "issuer" | "tokenURL">,
  { endpoints }: Endpoints,
): boolean {
  if (tokens.issuer !== undefined) return tokens.issuer === issuer;
  return endpoints.kind === "static" && tokens.tokenURL === tokenURL;
}
