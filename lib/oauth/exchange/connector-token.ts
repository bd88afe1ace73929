import type { OidcProviderConfiguration } from "../../config/configuration.ts";
import type { Connector } from "../../connectors/connectors.ts";
import type { Dependencies } from "../../dependencies.ts";
import { personId } from "../../directory/person-id.ts";
import { grantShard, newChainId } from "../../tokens/sharding.ts";
import type { OAuthClient } from "../clients/client.ts";
import { isOwnConnector } from "../features.ts";
import { isSameIssuer, issuerFromWellKnown } from "../issuer.ts";
import { parseCompactJws } from "../jws.ts";
import { subjectClaims } from "./connector-claims.ts";
import { verifyConnectorToken } from "./connector-jwt.ts";
import type { ExchangeContext, Subject } from "./subject.ts";

/** A subject token that says that one of the connectors' providers issued it; nothing of it is verified. */
export interface ConnectorToken {
  readonly text: string;
  readonly connector: Connector;
}

/**
 * Of the connectors whose tokens the caller may bring, the one that the token says it is from. Nothing is fetched. Tokens of
 * this instance are its own, also where a connector names it.
 */
export function connectorToken(
  text: string,
  { tokenExchange: { subjectConnectors } }: Pick<OAuthClient, "tokenExchange">,
  connectors: readonly Connector[],
  provider: OidcProviderConfiguration,
): ConnectorToken | undefined {
  const issuer = subjectConnectors.length > 0 ? parseCompactJws(text)?.payload.iss : undefined;
  if (typeof issuer !== "string") return undefined;
  const connector = connectors.find(({ settings }) => {
    if (!subjectConnectors.includes(settings.name) || isOwnConnector(settings, provider)) return false;
    const expected = issuerFromWellKnown(settings.wellKnownURL);
    return expected !== undefined && isSameIssuer(expected, issuer);
  });
  return connector && { text, connector };
}

/**
 * The subject that a connector's token names, with a new chain: its person is the one who signs in there, and the chain
 * rests on the consent of the person to the caller, where there is one.
 *
 * @throws {OAuthError} `invalid_request`; `temporarily_unavailable` when the provider's keys cannot be had
 */
export async function connectorSubject(
  token: ConnectorToken,
  type: string,
  caller: OAuthClient,
  dependencies: Dependencies,
  context: ExchangeContext,
): Promise<Subject> {
  const verified = await verifyConnectorToken(token, type, caller, dependencies, context);
  const { issuer, sub, exp, client } = verified;
  const { stores, clock, random } = dependencies;
  const subject = personId(issuer, sub);
  const consent = await stores.grants.consent(subject, caller.clientId);
  return {
    subject,
    client: { sub: client, iss: issuer },
    expiresAt: exp * 1_000,
    lineage: {
      chainId: newChainId(grantShard(subject, caller.clientId), clock.now(), random),
      ...(consent !== undefined && { consentId: consent.consentId }),
    },
    claims: subjectClaims(verified, token.connector.settings.name, caller),
  };
}
