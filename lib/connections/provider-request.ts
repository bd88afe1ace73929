import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  type ClientAuth,
  clockSkew,
  customFetch,
  genericTokenEndpointRequest,
  None,
  revocationRequest,
} from "oauth4webapi";
import type { OAuthConnectorConfiguration } from "../config/configuration.ts";
import { connectorClientAuthentication } from "../connectors/provider-requests.ts";
import type { Clock } from "../kernel/clock.ts";
import { type JsonObject, parseJsonObject } from "../kernel/json.ts";
import { mayHaveArrived, networkFailure } from "../net/failure.ts";
import { OutboundError } from "../net/outbound.ts";
import { readBody } from "../protocol/http/read-body.ts";
import { type ProviderFetchPorts, providerFetch } from "./provider-address.ts";
import type { ResolvedProvider } from "./resolved-provider.ts";

/** What requests to providers are made with. */
export interface ProviderPorts extends ProviderFetchPorts {
  readonly clock: Clock;
}

/**
 * - `invalid_grant`: the provider does not take the code or refresh token, or not any more, or not without the person (RFC 6749 §5.2).
 * - `refused`: it answered with another error. Nothing was spent.
 * - `not_sent`: no connection came about.
 * - `unclear`: nobody knows what it did: no answer came, or none that can be read.
 * - `throttled`: it asks for patience, or is down (429, 5xx).
 * - `too_long`: it gave tokens that are longer than any that are kept. What was sent is spent.
 */
export type ProviderFailure = "invalid_grant" | "refused" | "not_sent" | "unclear" | "throttled" | "too_long";

/** A request to a provider that brought no tokens. The message is for the log, and holds nothing that it sent but codes. */
export class ProviderError extends Error {
  readonly failure: ProviderFailure;
  /** The provider's error code (RFC 6749 §5.2), where it has the form of one. */
  readonly code: string | undefined;
  /** Milliseconds that the provider asked to wait (RFC 9110 §10.2.3). */
  readonly retryAfter: number | undefined;
  /** With `refused`: the grant may be the reason, so that another one may help. Nothing of the answer tells. */
  readonly isVague: boolean;
  constructor(failure: ProviderFailure, message: string, { code, retryAfter, isVague = false }: ErrorFacts = {}) {
    super(message);
    this.name = "ProviderError";
    this.failure = failure;
    this.code = code;
    this.retryAfter = retryAfter;
    this.isVague = isVague;
  }
}

interface ErrorFacts {
  readonly code?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly isVague?: boolean;
}

/** Takes one token back (RFC 7009 §2.1). One that the provider does not know any more is taken back. @throws {ProviderError} */
export async function revokeToken(
  token: string,
  hint: string,
  connector: OAuthConnectorConfiguration,
  provider: ResolvedProvider,
  ports: ProviderPorts,
): Promise<void> {
  const authentication = await authenticationOf(provider);
  try {
    await answerTo(connector, ports, (options) =>
      revocationRequest(serverOf(provider), clientOf(provider, ports), authentication, token, {
        ...options,
        additionalParameters: { token_type_hint: hint },
      }),
    );
  } catch (error) {
    // RFC 7009 §2.2 answers 200 then. Keycloak names this error in it; Google does so with 400.
    if (!(error instanceof ProviderError && error.failure === "refused" && error.code === "invalid_token")) throw error;
  }
}

/** What a token endpoint answered without an error (RFC 6749 §5.1). @throws {ProviderError} */
export async function askTokenEndpoint(
  grantType: string,
  parameters: Readonly<Record<string, string>>,
  connector: OAuthConnectorConfiguration,
  provider: ResolvedProvider,
  ports: ProviderPorts,
): Promise<JsonObject> {
  const authentication = await authenticationOf(provider);
  const { resource } = provider;
  const sent = { ...parameters, ...(resource !== undefined && { resource }) };
  const server = serverOf(provider);
  return answerTo(connector, ports, (options) =>
    genericTokenEndpointRequest(server, clientOf(provider, ports), authentication, grantType, sent, options),
  );
}

/** A private key that cannot be used is found before anything is sent. */
async function authenticationOf({
  clientAuthentication,
  clientSecret,
  privateKey,
}: ResolvedProvider): Promise<ClientAuth> {
  if (clientAuthentication === "none") return None();
  const settings = {
    clientAuthentication,
    ...(clientSecret !== undefined && { clientSecret }),
    ...(privateKey !== undefined && { privateKey }),
  };
  try {
    return await connectorClientAuthentication(settings);
  } catch {
    throw new ProviderError("not_sent", "the connector's privateKey cannot be used");
  }
}

/** Made for each request: the library stores data by this object (D29). It wants an issuer also where nobody is known by one. */
function serverOf({ issuer, tokenURL, revocationURL }: ResolvedProvider): AuthorizationServer {
  return {
    issuer: issuer ?? tokenURL,
    token_endpoint: tokenURL,
    ...(revocationURL !== undefined && { revocation_endpoint: revocationURL }),
  };
}

function clientOf({ clientID }: ResolvedProvider, { clock }: ProviderPorts): Client {
  return { client_id: clientID, [clockSkew]: Math.round((clock.now() - Date.now()) / 1000) };
}

interface RequestOptions {
  readonly [customFetch]: typeof globalThis.fetch;
  readonly [allowInsecureRequests]: true;
  readonly signal: AbortSignal;
}

/** Sends a request and reads its answer, both within the connector's time. @throws {ProviderError} */
export async function answerTo(
  connector: OAuthConnectorConfiguration,
  ports: ProviderFetchPorts,
  send: (options: RequestOptions) => Promise<Response>,
): Promise<JsonObject> {
  const options = {
    // Addresses without TLS are those that the configuration allows.
    ...{ [customFetch]: providerFetch(connector, ports), [allowInsecureRequests]: true as const },
    signal: AbortSignal.timeout(connector.refresh.timeout),
  };
  const response = await sent(() => send(options));
  return readAnswer(response);
}

/** @throws {ProviderError} */
async function sent(send: () => Promise<Response>): Promise<Response> {
  try {
    return await send();
  } catch (error) {
    const { cause, why = cause } = networkFailure(error);
    if (error instanceof OutboundError) throw new ProviderError("not_sent", error.message);
    throw new ProviderError(mayHaveArrived(error) ? "unclear" : "not_sent", `no answer: ${why}`);
  }
}

/** Bytes. */
const LONGEST_ANSWER = 1024 * 1024;

/** @throws {ProviderError} */
async function readAnswer(response: Response): Promise<JsonObject> {
  const { status, headers } = response;
  const body = await bodyOf(response);
  const told = body && (parseJsonObject(body) ?? parseForm(body));
  const code = codeOf(told?.error);
  if (status === 429 || status >= 500 || (code !== undefined && PATIENCE.has(code))) {
    const facts = { code, retryAfter: retryAfterOf(headers) };
    throw new ProviderError("throttled", `answered ${status}${code === undefined ? "" : ` ${code}`}`, facts);
  }
  // GitHub and Slack say so with 200.
  if (code !== undefined || told?.error !== undefined) {
    const failure = code !== undefined && GONE.has(code) ? "invalid_grant" : "refused";
    const isVague = failure === "refused" && (code === undefined || !OF_CLIENT.has(code));
    throw new ProviderError(failure, `answered ${status} ${code ?? "an error without a proper code"}`, {
      code,
      isVague,
    });
  }
  if (body === undefined) throw new ProviderError("unclear", `answered ${status} with a body that broke off`);
  if (status >= 300) throw new ProviderError("refused", `answered ${status}`, { isVague: VAGUE.has(status) });
  return told ?? {};
}

/** Undefined: it broke off, or is longer than any answer. */
async function bodyOf(response: Response): Promise<Uint8Array | undefined> {
  try {
    return await readBody(response, LONGEST_ANSWER);
  } catch {
    return undefined;
  }
}

/** Providers that knew no JSON once still answer so now and then (GitHub, where `Accept` is lost). */
function parseForm(body: Uint8Array): JsonObject | undefined {
  const form = new URLSearchParams(new TextDecoder().decode(body));
  return form.has("access_token") || form.has("error") ? Object.fromEntries(form) : undefined;
}

/**
 * RFC 6749 §5.2, and how GitHub and Slack call it. Some providers say so of a refresh token in the words of OpenID Connect Core 1.0
 * §3.1.2.6 (Microsoft Entra ID): the person has to do something there. A 400 or 401 without a code is none of these: §5.2 demands one, so
 * something in between may have answered, and a grant is not given up for that (D215).
 */
const GONE: ReadonlySet<string> = new Set([
  ...["invalid_grant", "bad_refresh_token", "bad_verification_code"],
  ...["invalid_refresh_token", "invalid_code", "code_already_used", "token_revoked", "token_expired"],
  ...["interaction_required", "consent_required", "login_required"],
]);
/** Errors of the client or the request alone (RFC 6749 §5.2), and how GitHub and Slack call them: another grant helps nobody. */
const OF_CLIENT: ReadonlySet<string> = new Set([
  ...["invalid_client", "unsupported_grant_type", "incorrect_client_credentials", "bad_client_secret"],
  ...["invalid_client_id", "redirect_uri_mismatch"],
]);
/** With which RFC 6749 §5.2 has errors of the grant and of the client. 403 is what some providers and firewalls say instead. */
const VAGUE: ReadonlySet<number> = new Set([400, 401, 403]);
/** RFC 6749 §4.1.2.1, RFC 8628 §3.5, and Slack's. */
const PATIENCE: ReadonlySet<string> = new Set([
  ...["temporarily_unavailable", "server_error", "slow_down", "ratelimited"],
]);

function codeOf(error: unknown): string | undefined {
  return typeof error === "string" && /^[\w.-]{1,64}$/.test(error) ? error : undefined;
}

/** Seconds alone: the date's form depends on the provider's clock. */
function retryAfterOf(headers: Headers): number | undefined {
  const seconds = headers.get("retry-after");
  if (seconds === null || !/^\d{1,9}$/.test(seconds)) return undefined;
  return Math.min(Number(seconds) * 1000, LONGEST_PATIENCE);
}

/** Milliseconds. */
const LONGEST_PATIENCE = 3_600_000;
