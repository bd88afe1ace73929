import type { AuthorizationServerPorts } from "../../authorization-server/ports.ts";
import type { TokenExchangeConfiguration } from "../../config/app-configuration.ts";
import type { Configuration } from "../../config/configuration.ts";
import { isOwnConnector } from "../../config/oauth-features.ts";
import { OWN_PROVIDER } from "../../config/rules/names.ts";
import type { Connector } from "../../connectors/connectors.ts";
import type { RequestContext } from "../../telemetry/request-context.ts";
import type { Identity } from "../identity.ts";
import { tokenName } from "../inbound/identity-cache.ts";
import type { ToolCall } from "../tool-call.ts";
import { type LocatedTool, mcpApps } from "../tool-index.ts";
import { createConnectorExchange } from "./connector-exchange.ts";
import type { Exchange, ExchangeOutcome, ExchangeTerms } from "./exchange.ts";
import { createKeptCredentials, type KeptCredentials, type KeptOutcome } from "./kept-credentials.ts";
import { createOwnExchange } from "./own-exchange.ts";
import { obtainPersonToken, type PersonTokenOutcome, type PersonTokenPorts } from "./person-token.ts";

/** Tokens for upstreams, for one tool's scopes: exchanged for one agent's token, or the person's own. */
export interface Credentials {
  /** @param refused a token that the upstream does not take: another is obtained */
  obtain(located: CredentialTerms, call: CredentialCall, refused?: string): Promise<CredentialOutcome>;
  readonly kept: KeptCredentials;
}

/** What is called, and what its calls carry: at most one of both terms. */
export type CredentialTerms = Pick<LocatedTool, "app" | "terms" | "connection">;

export type CredentialOutcome = KeptOutcome | PersonTokenOutcome;

/** What of a call decides on its credential. */
export type CredentialCall = Pick<ToolCall, "identity" | "token" | "request">;

interface Source {
  readonly server: CredentialServer;
  readonly exchange: Exchange;
}

/**
 * @param people where tokens of people come from; absent: no app's calls carry them
 * @param former those of the configuration before: tokens stay in use where they would be obtained in the same way
 */
export function createCredentials(
  connectors: readonly Connector[],
  ports: AuthorizationServerPorts,
  people?: PersonTokenPorts,
  former?: Credentials,
): Credentials {
  const { configuration } = ports.configuration();
  const kept = former?.kept ?? createKeptCredentials(ports.clock);
  const sources = sourcesOf(configuration, connectors, ports);
  return {
    kept,
    async obtain({ app, terms, connection }, { identity, token, request }, refused) {
      if (connection !== undefined) {
        if (people === undefined) throw new Error(`nobody connects accounts for the app ${app.name}`);
        return obtainPersonToken(app, connection, { identity, request }, people, refused);
      }
      const source = sources.get(app.name);
      if (source === undefined || terms === undefined)
        throw new Error(`no tokens are exchanged for the app ${app.name}`);
      // Where nobody is authenticated nothing can be exchanged; the configuration refuses that.
      if (identity === undefined || token === undefined) return { outcome: "token_refused" };
      const { server, exchange } = source;
      // What was kept before a stop is dropped with it.
      const key = `${ports.instanceStops.revision()} ${credentialKey({ server, terms, identity, token })}`;
      if (refused !== undefined) kept.forget(key, refused);
      return kept.get(key, {
        ttl: terms.ttl,
        waitUntil: request.waitUntil,
        exchange: () =>
          measureExchange(app.name, request, (telemetry) => exchange(token, terms, { ...request, telemetry })),
      });
    },
  };
}

/** By app. */
function sourcesOf(
  configuration: Configuration,
  connectors: readonly Connector[],
  ports: AuthorizationServerPorts,
): ReadonlyMap<string, Source> {
  const sources = new Map<string, Source>();
  for (const { name, outbound } of mcpApps(configuration.apps)) {
    if (outbound.type !== "tokenExchange") continue;
    const server = credentialServer(outbound, configuration);
    sources.set(name, { server, exchange: exchangeAt(server, connectors, ports) });
  }
  return sources;
}

function exchangeAt(
  server: CredentialServer,
  connectors: readonly Connector[],
  ports: AuthorizationServerPorts,
): Exchange {
  if (server.kind === "own") return createOwnExchange(server.clientID, connectors, ports);
  const connector = connectors.find(({ settings }) => settings.name === server.name);
  if (connector === undefined) throw new Error(`the connector ${server.name} is not there`);
  return createConnectorExchange(connector, ports);
}

/** Where an app's tokens come from, and as whom the gateway asks for them. */
export type CredentialServer =
  /** This very instance, in process. */
  | { readonly kind: "own"; readonly issuer: string; readonly clientID: string }
  | { readonly kind: "connector"; readonly name: string; readonly wellKnownURL: string; readonly clientID: string };

/** Throws where the configuration names no such server, which it refuses. */
export function credentialServer(
  { idp, clientID }: TokenExchangeConfiguration,
  { connectors, oidcProvider }: Pick<Configuration, "connectors" | "oidcProvider">,
): CredentialServer {
  const connector = connectors.find(({ name }) => name === idp);
  if (connector !== undefined && !isOwnConnector(connector, oidcProvider)) {
    const { name, wellKnownURL } = connector;
    return { kind: "connector", name, wellKnownURL, clientID: connector.clientID };
  }
  const own = idp === OWN_PROVIDER ? clientID : connector?.clientID;
  if (oidcProvider === undefined || own === undefined) throw new Error(`the idp ${idp} is not configured`);
  return { kind: "own", issuer: oidcProvider.issuer, clientID: own };
}

interface CredentialUse {
  readonly server: CredentialServer;
  readonly terms: ExchangeTerms;
  readonly identity: Pick<Identity, "issuer" | "agent"> & { readonly user?: { readonly sub: string } };
  /** The agent's. */
  readonly token: string;
}

/**
 * What a kept credential is known by: where and for what it was exchanged, and for which token of whom (checklist 39). A
 * renewed token of the agent begins anew.
 */
export function credentialKey({ server, terms, identity, token }: CredentialUse): string {
  const { issuer, user, agent } = identity;
  return JSON.stringify([server, terms, issuer, user?.sub ?? null, agent.clientID, tokenName(token)]);
}

/** Lets an exchange run as a part of the request's trace, and says how long it took. */
async function measureExchange(
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
