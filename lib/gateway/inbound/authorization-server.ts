import { createLocalJWKSet, type JWK } from "jose";
import type { McpAuthorizationServer } from "../../config/configuration.ts";
import type { Dependencies } from "../../dependencies.ts";
import { type Kept, keep } from "../../health/kept.ts";
import { loggableUrl, reportTo } from "../../health/report.ts";
import { fetchJson } from "../../http/fetch-json.ts";
import { isJsonObject } from "../../json.ts";
import { DISCOVERY_TIMEOUT, fetchDiscovery } from "../../oauth/fetch-discovery.ts";
import { issuerFromWellKnown } from "../../oauth/issuer.ts";
import { createKeyLookups, type KeyLookups } from "./key-lookups.ts";

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
  readonly metadata: Kept<ServerMetadata>;
  readonly keys: Kept<KeySet>;
  readonly lookups: KeyLookups;
}

/** Finds the key of a JWS among those of a JWKS (RFC 7517). */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

export function createAuthorizationServer(
  settings: McpAuthorizationServer,
  { fetch, clock, random, logger }: Pick<Dependencies, "fetch" | "clock" | "random" | "logger">,
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
    metadata: keep({ ...options, load: loadMetadata, report: reportTo(logger, "authorization server", { server }) }),
    keys: keep({ ...options, load: loadKeys, report: reportTo(logger, "keys of authorization server", { server }) }),
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
