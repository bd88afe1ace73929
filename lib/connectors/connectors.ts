import { createLocalJWKSet, type JWK } from "jose";
import type { ConnectorConfiguration } from "../config/configuration.ts";
import type { Component } from "../health/component.ts";
import type { Clock } from "../kernel/clock.ts";
import { isJsonObject } from "../kernel/json.ts";
import { createRateLimit } from "../kernel/rate-limit.ts";
import { createRefreshingCache, type RefreshingCache } from "../kernel/refreshing-cache.ts";
import { loggableUrl, reportTo } from "../logging/fetch-report.ts";
import { fetchJson } from "../protocol/http/fetch-json.ts";
import { DISCOVERY_TIMEOUT } from "../protocol/oauth/fetch-discovery.ts";
import { type ConnectorMetadata, fetchConnectorMetadata } from "./metadata.ts";
import type { ConnectorPorts } from "./ports.ts";

/** Finds the key of a JWS among those that a provider publishes (RFC 7517). */
export type ConnectorKeys = ReturnType<typeof createLocalJWKSet>;

/** A configured OpenID provider, with its metadata and keys. */
export interface Connector {
  readonly settings: ConnectorConfiguration;
  readonly metadata: RefreshingCache<ConnectorMetadata>;
  /** Fetched when a token of the provider has to be verified. The health status does not depend on them. */
  readonly keys: RefreshingCache<ConnectorKeys>;
  /** Whether a token with an unknown key may cause a fetch of the keys. Each call counts. */
  readonly mayLookUpKeys: () => boolean;
}

/** Milliseconds. Endpoints rarely change, and the last metadata stays in use if the provider does not answer. */
const REFRESH_INTERVAL = 3_600_000;

/**
 * Creates the connectors of a configuration. They cache metadata and keys, so create them once for each configuration.
 *
 * @param former the connectors of the previous configuration; their cached metadata and keys stay in use
 */
export function createConnectors(
  connectors: readonly ConnectorConfiguration[],
  dependencies: Pick<ConnectorPorts, "outbound" | "clock" | "random" | "logger">,
  former: readonly Connector[] = [],
): readonly Connector[] {
  return connectors.map((settings) => {
    const known = former.find((connector) => isSameDocument(connector.settings, settings));
    return {
      settings,
      metadata: known?.metadata ?? metadataCache(settings, dependencies),
      keys: known?.keys ?? keyCache(settings, dependencies),
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

/** Reads a provider's keys from the `jwks_uri` of its discovery document. The errors say what is wrong. */
async function fetchConnectorKeys(
  fetch: typeof globalThis.fetch,
  wellKnownURL: string,
  signal?: AbortSignal,
): Promise<ConnectorKeys> {
  const { jwksUri } = await fetchConnectorMetadata(fetch, wellKnownURL, signal);
  const { status, body } = await fetchJson(fetch, jwksUri, { timeout: DISCOVERY_TIMEOUT, signal });
  if (status !== 200 || !Array.isArray(body?.keys)) throw new Error(`the JWKS answered ${status} without keys`);
  return createLocalJWKSet({ keys: body.keys.filter(isJsonObject) as JWK[] });
}

function metadataCache(
  { name, wellKnownURL, tls }: ConnectorConfiguration,
  { outbound, clock, random, logger }: Pick<ConnectorPorts, "outbound" | "clock" | "random" | "logger">,
): RefreshingCache<ConnectorMetadata> {
  const fields = { connector: name, url: loggableUrl(wellKnownURL) };
  return createRefreshingCache({
    clock,
    random,
    refreshInterval: REFRESH_INTERVAL,
    // With TLS settings that cannot be used the connector is down; the others and the instance are not affected.
    load: async (signal) => fetchConnectorMetadata(outbound(tls), wellKnownURL, signal),
    report: reportTo(logger, "connector", fields),
  });
}

function keyCache(
  { name, wellKnownURL, tls }: ConnectorConfiguration,
  { outbound, clock, random, logger }: Pick<ConnectorPorts, "outbound" | "clock" | "random" | "logger">,
): RefreshingCache<ConnectorKeys> {
  const fields = { connector: name, url: loggableUrl(wellKnownURL) };
  return createRefreshingCache({
    clock,
    random,
    refreshInterval: REFRESH_INTERVAL,
    load: async (signal) => fetchConnectorKeys(outbound(tls), wellKnownURL, signal),
    report: reportTo(logger, "keys of connector", fields),
  });
}

/** Limits the fetches of keys. The client that presents a token has authenticated, but it may still invent key ids. */
function boundedLookups(clock: Clock): () => boolean {
  const limit = createRateLimit(clock, LOOKUP_LIMIT);
  return () => limit.take("");
}

/** One fetch brings all keys, so a new key is known after at most three seconds. */
const LOOKUP_LIMIT = { capacity: 20, perSecond: 1 / 3 };

function isSameDocument(one: ConnectorConfiguration, other: ConnectorConfiguration): boolean {
  return one.name === other.name && one.wellKnownURL === other.wellKnownURL && one.tls === other.tls;
}
