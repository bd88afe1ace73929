import type { McpAppConfiguration, TokenExchangeConfiguration } from "../../config/app-configuration.ts";
import { firstNaming } from "../../config/tool-names.ts";
import type { RequestContext } from "../../telemetry/request-context.ts";

/** What became of an exchange: plain data, which calls that wait for it may share (D29). */
export type ExchangeOutcome =
  | {
      readonly outcome: "obtained";
      readonly token: string;
      /** Seconds from when it was asked for; absent: the server did not say. */
      readonly expiresIn?: number;
    }
  /** The server does not give such a token to this gateway: `error` is one of RFC 6749 §5.2 and RFC 8693 §2.2.2. */
  | { readonly outcome: "refused"; readonly error: string }
  /** The agent's token is not good any more. */
  | { readonly outcome: "token_refused" }
  /** The server could not be asked; `reason` is a short code. */
  | { readonly outcome: "unavailable"; readonly reason: string };

/** Exchanges the token of an agent at one server. Never rejects. */
export type Exchange = (token: string, terms: ExchangeTerms, request: RequestContext) => Promise<ExchangeOutcome>;

/** RFC 8693 §2.1 and §3. */
export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
export const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const JWT = "urn:ietf:params:oauth:token-type:jwt";

/** The lifetime to ask for: whole seconds, and not none. */
export function requestedSeconds(ttl: number): number {
  return Math.max(1, Math.floor(ttl / 1_000));
}

/** Whether what was issued can be sent as a bearer token (RFC 8693 §2.2.1, RFC 6750). */
export function isBearerToken(issuedTokenType: unknown, tokenType: string): boolean {
  // Some servers leave the type out; that of what was asked for is meant.
  const isAccessToken = [undefined, ACCESS_TOKEN, JWT].includes(issuedTokenType as string | undefined);
  return isAccessToken && tokenType.toLowerCase() === "bearer";
}

/**
 * What a refusal means. A token that is not good is `invalid_request` (RFC 8693 §2.2.2), to some servers `invalid_grant` or
 * `invalid_token`; of the rest of the request nothing is the agent's.
 */
export function refusedExchange(error: string): ExchangeOutcome {
  if (SUBJECT_REFUSALS.has(error)) return { outcome: "token_refused" };
  if (error === "temporarily_unavailable" || error === "server_error") return { outcome: "unavailable", reason: error };
  return { outcome: "refused", error: REFUSALS.has(error) ? error : "other" };
}

const SUBJECT_REFUSALS = new Set(["invalid_request", "invalid_grant", "invalid_token"]);
/** What is told of a refusal is one of few words: others are the server's own. */
const REFUSALS = new Set([
  "access_denied",
  "invalid_client",
  "invalid_scope",
  "invalid_target",
  "unauthorized_client",
  "unsupported_grant_type",
]);

/** What is asked for where an agent's token is exchanged for one toward an upstream. */
export interface ExchangeTerms {
  readonly mode: TokenExchangeConfiguration["mode"];
  readonly audience: string;
  readonly scopes: readonly string[];
  /** Milliseconds. */
  readonly ttl: number;
}

/** Of tools that no entry names, milliseconds. */
export const DEFAULT_TTL = 60_000;

/** Of the tools of an app: the first matching entry decides on scopes and lifetime (D25); undefined where nothing is exchanged. */
export function exchangeTerms({
  outbound,
}: Pick<McpAppConfiguration, "outbound">): (localName: string) => ExchangeTerms | undefined {
  if (outbound.type !== "tokenExchange") return () => undefined;
  const { mode, audience, tools } = outbound;
  const entryOf = firstNaming(tools, ({ name }) => [name]);
  return (localName) => {
    const { scopes, ttl } = entryOf(localName) ?? { scopes: [], ttl: DEFAULT_TTL };
    return { mode, audience, scopes, ttl };
  };
}
