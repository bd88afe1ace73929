import type { Configuration } from "../../config/configuration.ts";
import type { Connector } from "../../connectors/connectors.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { ToolCall } from "../gateway.ts";
import { type LocatedTool, mcpApps } from "../tool-index.ts";
import { createConnectorExchange } from "./connector-exchange.ts";
import { credentialKey } from "./credential-key.ts";
import { type CredentialServer, credentialServer } from "./credential-server.ts";
import type { Exchange } from "./exchange.ts";
import { createKeptCredentials, type KeptCredentials, type KeptOutcome } from "./kept-credentials.ts";
import { measureExchange } from "./measure-exchange.ts";
import { createOwnExchange } from "./own-exchange.ts";

/** Tokens for upstreams, each of one agent's token, for one tool's scopes. */
export interface Credentials {
  /** @param refused a token that the upstream does not take: another is obtained */
  obtain(located: Pick<LocatedTool, "app" | "terms">, call: CredentialCall, refused?: string): Promise<KeptOutcome>;
  readonly kept: KeptCredentials;
}

/** What of a call decides on its credential. */
export type CredentialCall = Pick<ToolCall, "identity" | "token" | "request">;

interface Source {
  readonly server: CredentialServer;
  readonly exchange: Exchange;
}

/** @param former those of the configuration before: tokens stay in use where they would be obtained in the same way */
export function createCredentials(
  connectors: readonly Connector[],
  dependencies: Dependencies,
  former?: Credentials,
): Credentials {
  const { configuration } = dependencies.configuration();
  const kept = former?.kept ?? createKeptCredentials(dependencies.clock);
  const sources = sourcesOf(configuration, connectors, dependencies);
  return {
    kept,
    async obtain({ app, terms }, { identity, token, request }, refused) {
      const source = sources.get(app.name);
      if (source === undefined || terms === undefined)
        throw new Error(`no tokens are exchanged for the app ${app.name}`);
      // Where nobody is authenticated nothing can be exchanged; the configuration refuses that.
      if (identity === undefined || token === undefined) return { outcome: "token_refused" };
      const { server, exchange } = source;
      const key = credentialKey({ server, terms, identity, token });
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
  dependencies: Dependencies,
): ReadonlyMap<string, Source> {
  const sources = new Map<string, Source>();
  for (const { name, outbound } of mcpApps(configuration.apps)) {
    if (outbound.type !== "tokenExchange") continue;
    const server = credentialServer(outbound, configuration);
    sources.set(name, { server, exchange: exchangeAt(server, connectors, dependencies) });
  }
  return sources;
}

function exchangeAt(server: CredentialServer, connectors: readonly Connector[], dependencies: Dependencies): Exchange {
  if (server.kind === "own") return createOwnExchange(server.clientID, connectors, dependencies);
  const connector = connectors.find(({ settings }) => settings.name === server.name);
  if (connector === undefined) throw new Error(`the connector ${server.name} is not there`);
  return createConnectorExchange(connector, dependencies);
}
