import type { ConnectorConfiguration } from "../config/configuration.ts";
import type { Dependencies } from "../dependencies.ts";
import type { Component } from "../health/component.ts";
import { type Kept, keep } from "../health/kept.ts";
import { loggableUrl, reportTo } from "../health/report.ts";
import { type ConnectorMetadata, fetchConnectorMetadata } from "./metadata.ts";

/** A configured OpenID provider with what is known of it. */
export interface Connector {
  readonly settings: ConnectorConfiguration;
  readonly metadata: Kept<ConnectorMetadata>;
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
    return { settings, metadata: known?.metadata ?? keepMetadata(settings, dependencies) };
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

function isSameDocument(one: ConnectorConfiguration, other: ConnectorConfiguration): boolean {
  return one.name === other.name && one.wellKnownURL === other.wellKnownURL && one.tls === other.tls;
}
