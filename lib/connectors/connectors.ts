import type { Clock } from "../clock.ts";
import type { ConnectorConfiguration } from "../config/configuration.ts";
import type { Dependencies } from "../dependencies.ts";
import type { Component } from "../health/component.ts";
import { type Kept, keep } from "../health/kept.ts";
import { loggableUrl, reportTo } from "../health/report.ts";
import { createRateLimit } from "../rate-limit.ts";
import { type ConnectorKeys, fetchConnectorKeys } from "./keys.ts";
import { type ConnectorMetadata, fetchConnectorMetadata } from "./metadata.ts";

/** A configured OpenID provider with what is known of it. */
export interface Connector {
  readonly settings: ConnectorConfiguration;
  readonly metadata: Kept<ConnectorMetadata>;
  /** Fetched when a token of the provider is there to be verified; the provider is up without. */
  readonly keys: Kept<ConnectorKeys>;
  /** Whether a token under a key that is not known may cause the keys to be fetched; asking counts. */
  readonly mayLookUpKeys: () => boolean;
}

/** Milliseconds. Endpoints move rarely, and what was read stays in use when the provider does not answer. */
const REFRESH_INTERVAL = 3_600_000;

/**
 * Keeps what is learnt of the providers, so there is one of it for a configuration.
 *
 * @param former those of the configuration before: what was learnt of a provider stays known
 */
export function createConnectors(
  connectors: readonly ConnectorConfiguration[],
  dependencies: Pick<Dependencies, "outbound" | "clock" | "random" | "logger">,
  former: readonly Connector[] = [],
): readonly Connector[] {
  return connectors.map((settings) => {
    const known = former.find((connector) => isSameDocument(connector.settings, settings));
    return {
      settings,
      metadata: known?.metadata ?? keepMetadata(settings, dependencies),
      keys: known?.keys ?? keepKeys(settings, dependencies),
      mayLookUpKeys: known?.mayLookUpKeys ?? boundedLookups(dependencies.clock),
    };
  });
}

export function connectorComponents(connectors: readonly Connector[]): readonly Component[] {
  return connectors.map(({ settings, metadata }) => ({
    name: `connector:${settings.name}`,
    status: metadata.status,
    isDue: metadata.isDue,
    attempt: metadata.attempt,
  }));
}

function keepMetadata(
  { name, wellKnownURL, tls }: ConnectorConfiguration,
  { outbound, clock, random, logger }: Pick<Dependencies, "outbound" | "clock" | "random" | "logger">,
): Kept<ConnectorMetadata> {
  const fields = { connector: name, url: loggableUrl(wellKnownURL) };
  return keep({
    clock,
    random,
    refreshInterval: REFRESH_INTERVAL,
    // With TLS settings that cannot be used the connector is down; the others and the instance are not affected.
    load: async (signal) => fetchConnectorMetadata(outbound(tls), wellKnownURL, signal),
    report: reportTo(logger, "connector", fields),
  });
}

function keepKeys(
  { name, wellKnownURL, tls }: ConnectorConfiguration,
  { outbound, clock, random, logger }: Pick<Dependencies, "outbound" | "clock" | "random" | "logger">,
): Kept<ConnectorKeys> {
  const fields = { connector: name, url: loggableUrl(wellKnownURL) };
  return keep({
    clock,
    random,
    refreshInterval: REFRESH_INTERVAL,
    load: async (signal) => fetchConnectorKeys(outbound(tls), wellKnownURL, signal),
    report: reportTo(logger, "keys of connector", fields),
  });
}

/** Whoever brings such tokens is a client that authenticated; keys that it invents are all the same not to be asked for. */
function boundedLookups(clock: Clock): () => boolean {
  const limit = createRateLimit(clock, LOOKUP_LIMIT);
  return () => limit.take("");
}

/** A look brings all keys, so a new one is known after three seconds, whoever looked. */
const LOOKUP_LIMIT = { capacity: 20, perSecond: 1 / 3 };

function isSameDocument(one: ConnectorConfiguration, other: ConnectorConfiguration): boolean {
  return one.name === other.name && one.wellKnownURL === other.wellKnownURL && one.tls === other.tls;
}
