import { type CryptoKey, importJWK, importPKCS8, type JWK } from "jose";
import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clockSkew,
  clockTolerance,
  customFetch,
  None,
  PrivateKeyJwt,
} from "oauth4webapi";
import type { ConnectorConfiguration } from "../config/configuration.ts";
import { readBody } from "../protocol/http/read-body.ts";
import type { Connector } from "./connectors.ts";
import type { ConnectorMetadata } from "./metadata.ts";
import type { ConnectorPorts } from "./ports.ts";

/** Seconds by which a connector's clock may differ from ours. */
const CLOCK_TOLERANCE = 60;
/** Milliseconds for one exchange with a connector, the body included. */
const TIMEOUT = 5_000;
/** Bytes of an answer. */
const LIMIT = 1024 * 1024;

/**
 * A connector in the terms of `oauth4webapi`. It is created for each sign-in, because the library stores data by this object,
 * promises among them, and these must not reach another request (D29).
 */
export function authorizationServer(metadata: ConnectorMetadata): AuthorizationServer {
  return {
    issuer: metadata.issuer,
    authorization_endpoint: metadata.authorizationEndpoint,
    token_endpoint: metadata.tokenEndpoint,
    jwks_uri: metadata.jwksUri,
    ...(metadata.userinfoEndpoint !== undefined && { userinfo_endpoint: metadata.userinfoEndpoint }),
    ...(metadata.idTokenAlgorithms !== undefined && {
      id_token_signing_alg_values_supported: [...metadata.idTokenAlgorithms],
    }),
    ...(metadata.sendsIssuer && { authorization_response_iss_parameter_supported: true }),
  };
}

/** This instance as the connector's client, with our clock. */
export function clientOf({ settings }: Connector, { clock }: Pick<ConnectorPorts, "clock">): Client {
  return {
    client_id: settings.clientID,
    [clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
    [clockTolerance]: CLOCK_TOLERANCE,
  };
}

export interface RequestOptions {
  readonly [customFetch]: (url: string, init: RequestInit) => Promise<Response>;
  readonly [allowInsecureRequests]: true;
  readonly signal: () => AbortSignal;
}

/** Requests with the connector's TLS entry, within limits of time and size. Its metadata names no URL without TLS but loopback. */
export function requestOptions(
  { settings }: Connector,
  { outbound }: Pick<ConnectorPorts, "outbound">,
): RequestOptions {
  const send = outbound(settings.tls);
  return {
    [allowInsecureRequests]: true,
    [customFetch]: async (url, init) => bounded(await send(url, init)),
    signal: () => AbortSignal.timeout(TIMEOUT),
  };
}

type Settings = Pick<ConnectorConfiguration, "clientAuthentication" | "clientSecret" | "privateKey">;

/**
 * How this instance authenticates at a connector's token endpoint (OpenID Connect Core 1.0 §9). Rejects if the private key
 * cannot be used.
 */
export async function connectorClientAuthentication(settings: Settings): Promise<ClientAuth> {
  const { clientAuthentication, clientSecret, privateKey } = settings;
  if (clientAuthentication === "private_key_jwt") return signed(privateKey);
  if (clientSecret === undefined) return None();
  return clientAuthentication === "client_secret_post"
    ? ClientSecretPost(clientSecret)
    : ClientSecretBasic(clientSecret);
}

async function bounded(response: Response): Promise<Response> {
  const { status, headers } = response;
  const bytes = await readBody(response, LIMIT);
  if (bytes === undefined) throw new Error(`the answer has more than ${LIMIT} bytes`);
  const isEmpty = status === 204 || status === 205 || status === 304;
  // What was read is decoded already.
  const kept = ["content-type", "www-authenticate"].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as [string, string]];
  });
  return new Response(isEmpty ? null : bytes, { status, headers: kept });
}

async function signed(privateKey: Settings["privateKey"]): Promise<ClientAuth> {
  if (privateKey === undefined) throw new Error("the connector has no privateKey");
  if (typeof privateKey === "string") return PrivateKeyJwt(await keyOfPem(privateKey));
  const { kid, kty } = privateKey;
  const key = await importJWK(privateKey as JWK, kty === "RSA" ? "RS256" : "ES256");
  if (key instanceof Uint8Array) throw new Error("the connector's privateKey is a shared secret");
  return PrivateKeyJwt(typeof kid === "string" ? { key, kid } : { key });
}

/** The kind of the key is found by trying. */
async function keyOfPem(pem: string): Promise<CryptoKey> {
  try {
    return await importPKCS8(pem, "ES256");
  } catch {
    // Not one on P-256.
    return importPKCS8(pem, "RS256");
  }
}
