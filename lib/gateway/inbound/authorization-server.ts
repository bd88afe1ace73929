import { createLocalJWKSet, type JWK } from "jose";
import type { McpAuthorizationServer } from "../../config/configuration.ts";
import type { Dependencies } from "../../dependencies.ts";
import { isJsonObject } from "../../json.ts";
import { causeOf } from "../../logging/cause.ts";
import { fetchJson } from "./fetch-json.ts";
import { isSameIssuer, issuerFromWellKnown } from "./issuer.ts";
import { type Kept, keep } from "./kept.ts";

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
}

/** Finds the key of a JWS among those of a JWKS (RFC 7517). */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

const TIMEOUT = 5_000;
/** Issuers stand in log lines and audit records. */
const MAX_ISSUER = 512;

export function createAuthorizationServer(
  settings: McpAuthorizationServer,
  { fetch, clock, logger }: Pick<Dependencies, "fetch" | "clock" | "logger">,
): AuthorizationServer {
  const { wellKnownEndpoint, refreshInterval } = settings;
  const onFailure = (cause: unknown) =>
    logger.warn("authorization server not available", { server: wellKnownEndpoint, cause: causeOf(cause) });
  const expectedIssuer = issuerFromWellKnown(wellKnownEndpoint);
  const options = { clock, refreshInterval, onFailure };
  // What was read for the metadata serves for the keys once; after that, where they are may have moved.
  let unused: ServerMetadata | undefined;
  const loadMetadata = async () => {
    unused = await fetchMetadata(fetch, wellKnownEndpoint, expectedIssuer);
    return unused;
  };
  const loadKeys = async () => {
    const metadata = unused ?? (await fetchMetadata(fetch, wellKnownEndpoint, expectedIssuer));
    unused = undefined;
    return fetchKeys(fetch, metadata);
  };
  return {
    settings,
    expectedIssuer,
    metadata: keep({ ...options, load: loadMetadata }),
    keys: keep({ ...options, load: loadKeys }),
  };
}

/** RFC 8414 §3.3, OpenID Connect Discovery §4.3: a server speaks for no other issuer than the one of its address. */
async function fetchMetadata(
  fetch: typeof globalThis.fetch,
  url: string,
  expectedIssuer: string | undefined,
): Promise<ServerMetadata> {
  const { status, body } = await fetchJson(fetch, url, { timeout: TIMEOUT });
  if (status !== 200 || body === undefined) throw new Error(`discovery answered ${status} without a metadata object`);
  if (typeof body.issuer !== "string" || body.issuer === "") throw new Error("discovery names no issuer");
  if (body.issuer.length > MAX_ISSUER) throw new Error(`discovery names an issuer of over ${MAX_ISSUER} characters`);
  if (expectedIssuer !== undefined && !isSameIssuer(expectedIssuer, body.issuer)) {
    throw new Error(
      `discovery names the issuer ${JSON.stringify(body.issuer)}, but its address is the one of "${expectedIssuer}"`,
    );
  }
  const jwksUri = httpUrl(body.jwks_uri);
  const introspectionEndpoint = httpUrl(body.introspection_endpoint);
  return {
    issuer: body.issuer,
    ...(jwksUri !== undefined && { jwksUri }),
    ...(introspectionEndpoint !== undefined && { introspectionEndpoint }),
  };
}

/** RFC 7517 §5: members of the set that are no keys do not spoil the others. */
async function fetchKeys(fetch: typeof globalThis.fetch, { jwksUri }: ServerMetadata): Promise<KeySet> {
  if (jwksUri === undefined) throw new Error("discovery names no jwks_uri");
  const { status, body } = await fetchJson(fetch, jwksUri, { timeout: TIMEOUT });
  if (status !== 200 || !Array.isArray(body?.keys)) throw new Error(`the JWKS answered ${status} without keys`);
  return createLocalJWKSet({ keys: body.keys.filter(isJsonObject) as JWK[] });
}

function httpUrl(value: unknown): string | undefined {
  return typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value) ? value : undefined;
}
