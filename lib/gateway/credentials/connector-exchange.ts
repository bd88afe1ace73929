import {
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  customFetch,
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
  ResponseBodyError,
  type TokenEndpointResponse,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import type { ConnectorConfiguration } from "../../config/configuration.ts";
import type { Connector } from "../../connectors/connectors.ts";
import type { ConnectorPorts } from "../../connectors/ports.ts";
import {
  authorizationServer,
  clientOf,
  connectorClientAuthentication,
  type RequestOptions,
  requestOptions,
} from "../../connectors/provider-requests.ts";
import { pause } from "../../kernel/timers.ts";
import { causeOf } from "../../logging/cause.ts";
import { OutboundError } from "../../net/outbound.ts";
import { tracedFetch } from "../../telemetry/http-client.ts";
import type { RequestContext } from "../../telemetry/request-context.ts";
import type { ExchangeTerms } from "./exchange.ts";
import {
  ACCESS_TOKEN,
  type Exchange,
  type ExchangeOutcome,
  isBearerToken,
  refusedExchange,
  requestedSeconds,
  TOKEN_EXCHANGE,
} from "./exchange.ts";

/** Between an attempt that brought no answer and the next, milliseconds. */
const PAUSE = 100;

/** Exchanges at the server of a connector (RFC 8693), as its registered client. */
export function createConnectorExchange(
  connector: Connector,
  ports: Pick<ConnectorPorts, "outbound" | "clock">,
): Exchange {
  return async (token, terms, request) => {
    const metadata = await connector.metadata.get(request.waitUntil);
    if (metadata === undefined) return { outcome: "unavailable", reason: "discovery_not_loaded" };
    try {
      const authentication = await connectorClientAuthentication(connector.settings);
      const options = optionsOf(connector, ports, request);
      const server = authorizationServer(metadata);
      const client = clientOf(connector, ports);
      const post = () => exchangeOnce(server, client, authentication, parametersOf(token, terms), options);
      return outcomeOf(await repeatedOnce(post));
    } catch (cause) {
      report(cause, connector.settings, terms, token, request.logger);
      return failureOf(cause);
    }
  };
}

type SendRequest = RequestOptions[typeof customFetch];

function optionsOf(
  connector: Connector,
  ports: Pick<ConnectorPorts, "outbound">,
  { telemetry }: RequestContext,
): RequestOptions & { readonly headers: Readonly<Record<string, string>> } {
  const options = requestOptions(connector, ports);
  const send = tellingFailures(options[customFetch]);
  // Instead of the path, which is the server's.
  const traced = tracedFetch(
    (input, init) => send(String(input), init ?? {}),
    telemetry,
    () => "token endpoint",
  );
  return { ...options, [customFetch]: traced, headers: { "user-agent": "Countersign" } };
}

async function exchangeOnce(
  server: AuthorizationServer,
  client: Client,
  authentication: ClientAuth,
  parameters: Record<string, string>,
  options: RequestOptions,
): Promise<TokenEndpointResponse> {
  const response = await genericTokenEndpointRequest(
    server,
    client,
    authentication,
    TOKEN_EXCHANGE,
    parameters,
    options,
  );
  if (response.status >= 500 || response.status === 429) throw new NoAnswerError(`http_${response.status}`);
  return processGenericTokenEndpointResponse(server, client, response);
}

/** The parameters that are ours (`requested_…`) are sent to every server: who does not know them ignores them (RFC 6749 §3.2). */
function parametersOf(token: string, { mode, audience, scopes, ttl }: ExchangeTerms): Record<string, string> {
  return {
    subject_token: token,
    subject_token_type: ACCESS_TOKEN,
    requested_token_type: ACCESS_TOKEN,
    audience,
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    requested_expires_in: String(requestedSeconds(ttl)),
    requested_mode: mode,
  };
}

/** There is no answer to go by; the message is a short code. */
class NoAnswerError extends Error {
  constructor(reason: string, options: { readonly cause?: unknown } = {}) {
    super(reason, options);
    this.name = "NoAnswerError";
  }
}

/**
 * Once more where a connection failed or the server has an error of its own; a token too many harms nobody. Not after the
 * time was over: the agent is waiting. Nor after 429, which asks not to.
 */
async function repeatedOnce<T>(post: () => Promise<T>): Promise<T> {
  try {
    return await post();
  } catch (cause) {
    if (!isWorthRepeating(cause)) throw cause;
    await pause(PAUSE);
    return post();
  }
}

function isWorthRepeating(cause: unknown): boolean {
  return cause instanceof NoAnswerError && /^(unreachable|http_5\d\d)$/.test(cause.message);
}

function outcomeOf({ access_token, token_type, expires_in, ...more }: TokenEndpointResponse): ExchangeOutcome {
  if (!isBearerToken(more.issued_token_type, token_type)) return refusedExchange("other");
  return { outcome: "obtained", token: access_token, ...(expires_in !== undefined && { expiresIn: expires_in }) };
}

function failureOf(cause: unknown): ExchangeOutcome {
  if (cause instanceof ResponseBodyError) return refusedExchange(cause.error);
  if (cause instanceof WWWAuthenticateChallengeError) return refusedExchange("invalid_client");
  return { outcome: "unavailable", reason: reasonOf(cause) };
}

function reasonOf(cause: unknown): string {
  if (cause instanceof NoAnswerError) return cause.message;
  if (cause instanceof OutboundError) return "tls_unusable";
  return isTimeout(cause) ? "timeout" : "unusable_answer";
}

function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && cause.name === "TimeoutError";
}

function report(
  cause: unknown,
  { name }: ConnectorConfiguration,
  { audience }: ExchangeTerms,
  token: string,
  logger: RequestContext["logger"],
): void {
  const fields = { connector: name, audience };
  logger.warn("token not exchanged", { ...fields, ...(refusalOf(cause, token) ?? { cause: causeOf(cause) }) });
}

function refusalOf(cause: unknown, token: string): Readonly<Record<string, string>> | undefined {
  if (!(cause instanceof ResponseBodyError)) return undefined;
  const { error, error_description: description = "" } = cause;
  // A server that repeats what it was sent must not bring it into the log.
  return { error: error.slice(0, 100), description: description.includes(token) ? "" : description.slice(0, 200) };
}

/** Connections that fail say so in one way on every runtime. */
function tellingFailures(send: SendRequest): SendRequest {
  return async (url, init) => {
    try {
      return await send(url, init);
    } catch (cause) {
      throw isTimeout(cause) ? cause : new NoAnswerError("unreachable", { cause });
    }
  };
}
