import { isOwnConnector } from "../../oauth/features.ts";
import type { OidcAppConfiguration, OutboundConfiguration } from "../app-configuration.ts";
import type { ConnectorConfiguration, OidcProviderConfiguration } from "../configuration.ts";
import type { Path } from "../path.ts";
import { OWN_PROVIDER } from "../rules/names.ts";
import { EXCHANGING_APP } from "../rules/own-client.ts";
import { TOKEN_EXCHANGE } from "../served-grant-types.ts";
import type { McpAppDocument } from "./app-documents.ts";
import type { Report } from "./http.ts";
import { present } from "./present.ts";

type Document = McpAppDocument["authorization"]["outbound"];
type ExchangeDocument = NonNullable<NonNullable<Document>["tokenExchange"]>;

/** Where tokens can be exchanged, and as whom. */
export interface Issuers {
  readonly connectors: readonly ConnectorConfiguration[];
  readonly oidcProvider: Pick<OidcProviderConfiguration, "issuer" | "endpoints"> | undefined;
  readonly clients: readonly OidcAppConfiguration[];
}

/** What calls to an upstream carry; `path` is that of `authorization.outbound`. */
export function assembleOutbound(
  document: Document,
  path: Path,
  issuers: Issuers,
  report: Report,
): OutboundConfiguration {
  const exchange = document?.tokenExchange;
  if (document?.type !== "tokenExchange" || exchange === undefined) return { type: "unprotected" };
  const { type: mode, idp, audience, tools } = exchange;
  return {
    type: "tokenExchange",
    ...{ mode, idp },
    ...present({ clientID: ownClient(exchange, [...path, "tokenExchange"], issuers, report) }),
    audience,
    tools: tools.map(({ name, ttl, scopes }) => ({ name, ttl, scopes: scopes.map((scope) => scope.name) })),
  };
}

/** The client that the gateway is at this instance's own provider, which has to know it; undefined at others. */
function ownClient(
  { idp, clientID }: ExchangeDocument,
  path: Path,
  { connectors, oidcProvider, clients }: Issuers,
  report: Report,
): string | undefined {
  const exchanging = clients.filter(({ grantTypes }) => grantTypes.includes(TOKEN_EXCHANGE));
  const canExchange = (id: string) => exchanging.some((client) => client.clientID === id);
  if (idp !== OWN_PROVIDER) {
    const connector = connectors.find(({ name }) => name === idp);
    if (connector !== undefined && isOwnConnector(connector, oidcProvider) && !canExchange(connector.clientID)) {
      report(
        [...path, "idp"],
        `this connector is the instance itself, which has no ${EXCHANGING_APP} for its oauthClientID`,
      );
    }
    return undefined;
  }
  // That there is one stands in `rules/own-client.ts`.
  return clientID ?? exchanging[0]?.clientID;
}
