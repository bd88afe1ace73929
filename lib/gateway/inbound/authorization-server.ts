import { createLocalJWKSet, type JWK } from "jose";
import type { McpAuthorizationServer } from "../../config/configuration.ts";
import type { Clock } from "../../kernel/clock.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { Random } from "../../kernel/random.ts";
import { createRateLimit } from "../../kernel/rate-limit.ts";
import { createRefreshingCache, type RefreshingCache } from "../../kernel/refreshing-cache.ts";
import { loggableUrl, reportTo } from "../../logging/fetch-report.ts";
import type { Logger } from "../../logging/logger.ts";
import { sourceKey } from "../../net/source.ts";
import { fetchJson } from "../../protocol/http/fetch-json.ts";
import { DISCOVERY_TIMEOUT, fetchDiscovery } from "../../protocol/oauth/fetch-discovery.ts";
import { issuerFromWellKnown } from "../../protocol/oauth/issuer.ts";

/** What the gateway needs of a server's discovery document (OpenID Connect Discovery 1.0, RFC 8414). */
export interface ServerMetadata {
  readonly issuer: string;
  readonly jwksUri?: string;
  readonly introspectionEndpoint?: string;
}

/** A configured authorization server with what is known of it. */
export interface AuthorizationServer {
  readonly settings: McpAuthorizationServer;
  /** From the address of its discovery document; undefined when that is not a well-known one. No other is believed. */
  readonly expectedIssuer: string | undefined;
  readonly metadata: RefreshingCache<ServerMetadata>;
  readonly keys: RefreshingCache<KeySet>;
  readonly lookups: KeyLookups;
}

/** Finds the key of a JWS among those of a JWKS (RFC 7517). */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** What it takes to ask an authorization server. */
export interface ServerPorts {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export function createAuthorizationServer(
  settings: McpAuthorizationServer,
  { fetch, clock, random, logger }: ServerPorts,
): AuthorizationServer {
  const { wellKnownEndpoint, refreshInterval } = settings;
  const server = loggableUrl(wellKnownEndpoint);
  const options = { clock, random, refreshInterval };
  // What was read for the metadata serves for the keys once; after that, where they are may have moved.
  let unused: ServerMetadata | undefined;
  const loadMetadata = async (signal?: AbortSignal) => {
    unused = await fetchMetadata(fetch, settings, signal);
    return unused;
  };
  const loadKeys = async (signal?: AbortSignal) => {
    const metadata = unused ?? (await fetchMetadata(fetch, settings, signal));
    unused = undefined;
    return fetchKeys(fetch, metadata, signal);
  };
  return {
    settings,
    expectedIssuer: issuerFromWellKnown(wellKnownEndpoint),
    metadata: createRefreshingCache({
      ...options,
      load: loadMetadata,
      report: reportTo(logger, "authorization server", { server }),
    }),
    keys: createRefreshingCache({
      ...options,
      load: loadKeys,
      report: reportTo(logger, "keys of authorization server", { server }),
    }),
    lookups: createKeyLookups(clock),
  };
}

async function fetchMetadata(
  fetch: typeof globalThis.fetch,
  { wellKnownEndpoint, method }: McpAuthorizationServer,
  signal: AbortSignal | undefined,
): Promise<ServerMetadata> {
  const { issuer, document } = await fetchDiscovery(fetch, wellKnownEndpoint, signal);
  const jwksUri = httpUrl(document.jwks_uri);
  const introspectionEndpoint = httpUrl(document.introspection_endpoint);
  if (method === "introspection" && introspectionEndpoint === undefined) {
    throw new Error("discovery names no introspection_endpoint");
  }
  return {
    issuer,
    ...(jwksUri !== undefined && { jwksUri }),
    ...(introspectionEndpoint !== undefined && { introspectionEndpoint }),
  };
}

/** RFC 7517 §5: members of the set that are no keys do not spoil the others. */
async function fetchKeys(
  fetch: typeof globalThis.fetch,
  { jwksUri }: ServerMetadata,
  signal: AbortSignal | undefined,
): Promise<KeySet> {
  if (jwksUri === undefined) throw new Error("discovery names no jwks_uri");
  const { status, body } = await fetchJson(fetch, jwksUri, { timeout: DISCOVERY_TIMEOUT, signal });
  if (status !== 200 || !Array.isArray(body?.keys)) throw new Error(`the JWKS answered ${status} without keys`);
  return createLocalJWKSet({ keys: body.keys.filter(isJsonObject) as JWK[] });
}

function httpUrl(value: unknown): string | undefined {
  return typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value) ? value : undefined;
}

/**
 * Bounds how often unknown keys make a server be asked for its keys (D75). A source's own budget is used before the
 * server's, so that keys invented at one address leave the others theirs.
 */
interface KeyLookups {
  /** Whether there is budget for another look, which then counts; otherwise who has used it up. */
  take(source: string | undefined): KeyLookup;
  /** Undoes one that was allowed: its key was there. One that was invented never is. */
  giveBack(source: string | undefined): void;
}

export type KeyLookup = "allowed" | "source_exhausted" | "server_exhausted";

const SOURCE_LIMIT = { capacity: 10, perSecond: 1 / 5 };
/** Every look learns all keys, so a new one is known after three seconds, whoever looked. */
const SERVER_LIMIT = { capacity: 20, perSecond: 1 / 3 };

function createKeyLookups(clock: Clock): KeyLookups {
  const sources = createRateLimit(clock, SOURCE_LIMIT);
  const server = createRateLimit(clock, SERVER_LIMIT);
  return {
    take(source) {
      if (!sources.take(sourceKey(source))) return "source_exhausted";
      if (server.take("")) return "allowed";
      sources.giveBack(sourceKey(source));
      return "server_exhausted";
    },
    giveBack(source) {
      sources.giveBack(sourceKey(source));
      server.giveBack("");
    },
  };
}
