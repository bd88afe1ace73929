import {
  type McpBridgeAppConfiguration,
  type OidcAppConfiguration,
  type OutboundConfiguration,
  type PinsConfiguration,
  type StepUpConfiguration,
  TOKEN_EXCHANGE,
} from "../app-configuration.ts";
import type { ConnectorConfiguration, OidcProviderConfiguration } from "../configuration.ts";
import { isOwnConnector } from "../oauth-features.ts";
import type { Path } from "../path.ts";
import { assemblePolicies } from "../policy-engines.ts";
import { type AppPolicies, compiledOf } from "../policy-plans.ts";
import { OWN_PROVIDER } from "../rules/names.ts";
import { EXCHANGING_APP } from "../rules/own-client.ts";
import type { UserTokenConfiguration } from "../user-token-configuration.ts";
import type { McpAppDocument, Report } from "./context.ts";
import { present } from "./context.ts";
import { assembleToolHeaders, type HeaderContext } from "./headers.ts";
import { assembleToolRules } from "./tool-rules.ts";

export interface McpAppContext extends Issuers, HeaderContext {
  readonly report: Report;
  /** Policies in Rego, by app name. */
  readonly policies: Readonly<Record<string, AppPolicies>>;
}

/** What apps of both kinds have, but for the connections to their upstreams. */
type McpAppParts = Omit<McpBridgeAppConfiguration, "type" | "catalog" | "baseURL" | "auth" | "tls">;

/** @param index of the app among all of the document */
export function assembleMcpApp(app: McpAppDocument, index: number, context: McpAppContext): McpAppParts {
  const { inbound, outbound } = app.authorization;
  const policies = assemblePolicies(inbound, compiledOf(app.name, context.policies));
  const headers = assembleToolHeaders(app.upstream, index, context);
  const rules = assembleToolRules(app, index, context);
  return {
    name: app.name,
    ...present({ organization: app.organization, isShared: app.shared || undefined, members: inbound.members }),
    timeout: app.upstream.timeout,
    ...(headers.length > 0 && { headers }),
    inboundTools: inbound.tools,
    ...(app.pins !== undefined && { pins: assemblePins(app.pins) }),
    ...(rules.length > 0 && { rules }),
    ...(policies.length > 0 && { policies }),
    stepUp: inbound.stepUp.map(assembleStepUp),
    outbound: assembleOutbound(outbound, ["apps", index, "authorization", "outbound"], context, context.report),
  };
}

/** `later` has one value, which needs no place. */
function assemblePins(pins: NonNullable<McpAppDocument["pins"]>): PinsConfiguration {
  return { first: pins.first, ...("maxAge" in pins && { maxAge: pins.maxAge }) };
}

function assembleStepUp({
  tools,
  acr,
  maxAge,
}: McpAppDocument["authorization"]["inbound"]["stepUp"][number]): StepUpConfiguration {
  return { tools, ...present({ acr: typeof acr === "string" ? [acr] : acr, maxAge }) };
}

type Document = McpAppDocument["authorization"]["outbound"];
type ExchangeDocument = NonNullable<NonNullable<Document>["tokenExchange"]>;
type UserTokenDocument = NonNullable<NonNullable<Document>["userToken"]>;

/** Where tokens can be exchanged, and as whom. */
interface Issuers {
  readonly connectors: readonly ConnectorConfiguration[];
  readonly oidcProvider: Pick<OidcProviderConfiguration, "issuer" | "endpoints"> | undefined;
  readonly clients: readonly OidcAppConfiguration[];
}

/** What calls to an upstream carry; `path` is that of `authorization.outbound`. */
function assembleOutbound(document: Document, path: Path, issuers: Issuers, report: Report): OutboundConfiguration {
  const { type, tokenExchange: exchange, userToken } = document ?? {};
  if (type === "userToken" && userToken !== undefined) return assembleUserToken(userToken);
  if (type !== "tokenExchange" || exchange === undefined) return { type: "unprotected" };
  const { type: mode, idp, audience, tools } = exchange;
  return {
    type: "tokenExchange",
    ...{ mode, idp },
    ...present({ clientID: ownClient(exchange, [...path, "tokenExchange"], issuers, report) }),
    audience,
    tools: tools.map(({ name, ttl, scopes }) => ({ name, ttl, scopes: scopes.map((scope) => scope.name) })),
  };
}

/** @param document without `tools` and `perAgent` of a web app: no agent calls a tool there */
export function assembleUserToken({
  connector,
  resource,
  scopes,
  tools = [],
  perAgent = false,
}: Omit<UserTokenDocument, "tools" | "perAgent"> & Partial<UserTokenDocument>): UserTokenConfiguration {
  return {
    type: "userToken",
    connector,
    ...present({ resource }),
    scopes: [...new Set(scopes)],
    tools: tools.map((tool) => ({ name: tool.name, scopes: tool.scopes.map((scope) => scope.name) })),
    perAgent,
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
