import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  clockSkew,
  clockTolerance,
  customFetch,
} from "oauth4webapi";
import type { Dependencies } from "../../dependencies.ts";
import { readBody } from "../../http/read-body.ts";
import type { Connector } from "../connectors.ts";
import type { ConnectorMetadata } from "../metadata.ts";

/** Seconds by which a connector's clock may differ from ours. */
const CLOCK_TOLERANCE = 60;
/** Milliseconds for one exchange with a connector, the body included. */
const TIMEOUT = 5_000;
/** Bytes of an answer. */
const LIMIT = 1024 * 1024;

/**
 * A connector in the terms of `oauth4webapi`. Made anew for each sign-in: what that keeps by this object, promises among it,
 * must not reach another request (D29).
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
export function clientOf({ settings }: Connector, { clock }: Pick<Dependencies, "clock">): Client {
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

/** Exchanges by the connector's TLS entry, within time and size. Its metadata names no address without TLS but loopback. */
export function requestOptions({ settings }: Connector, { outbound }: Pick<Dependencies, "outbound">): RequestOptions {
  const send = outbound(settings.tls);
  return {
    [allowInsecureRequests]: true,
    [customFetch]: async (url, init) => bounded(await send(url, init)),
    signal: () => AbortSignal.timeout(TIMEOUT),
  };
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
