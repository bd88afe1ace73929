import { createLocalJWKSet, type JWK } from "jose";
import { fetchJson } from "../http/fetch-json.ts";
import { isJsonObject } from "../json.ts";
import { DISCOVERY_TIMEOUT } from "../oauth/fetch-discovery.ts";
import { fetchConnectorMetadata } from "./metadata.ts";

/** Finds the key of a JWS among those that a provider publishes (RFC 7517). */
export type ConnectorKeys = ReturnType<typeof createLocalJWKSet>;

/** Reads a provider's keys, from where its discovery document says now that they are. Errors say what is wrong. */
export async function fetchConnectorKeys(
  fetch: typeof globalThis.fetch,
  wellKnownURL: string,
  signal?: AbortSignal,
): Promise<ConnectorKeys> {
  const { jwksUri } = await fetchConnectorMetadata(fetch, wellKnownURL, signal);
  const { status, body } = await fetchJson(fetch, jwksUri, { timeout: DISCOVERY_TIMEOUT, signal });
  if (status !== 200 || !Array.isArray(body?.keys)) throw new Error(`the JWKS answered ${status} without keys`);
  return createLocalJWKSet({ keys: body.keys.filter(isJsonObject) as JWK[] });
}
