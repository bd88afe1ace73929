import { calculatePKCECodeChallenge, customFetch } from "oauth4webapi";
import type { OAuthConnectorConfiguration } from "../config/configuration.ts";
import { fromBase64url, utf8 } from "../kernel/encoding.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../kernel/json.ts";
import {
  answerTo,
  askTokenEndpoint,
  ProviderError,
  type ProviderFailure,
  type ProviderPorts,
  revokeToken,
} from "./provider-request.ts";
import type { ResolvedProvider } from "./resolved-provider.ts";

/** What a provider gave for a code or a refresh token (RFC 6749 §5.1). */
export interface ProviderTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** When the access token ends, milliseconds since the epoch; absent: the provider did not say. */
  readonly expiresAt?: number;
  /** As granted; where the provider does not say, as asked for (RFC 6749 §5.1). */
  readonly scopes: readonly string[];
  /** Whose account they are of, where the provider says so. */
  readonly account?: { readonly id: string; readonly label?: string };
  /** Of the provider; absent: it is known by none. */
  readonly issuer?: string;
  /** The provider's token endpoint, where it has no issuer. */
  readonly tokenURL?: string;
  /** Who we are there. */
  readonly clientID: string;
}

/** What sends a person to a provider. */
export interface AuthorizationRequest {
  readonly state: string;
  /** RFC 7636; absent with `disablePKCE`. */
  readonly codeVerifier?: string;
  readonly redirectURL: string;
  readonly scopes: readonly string[];
}

/** Where a person allows this service to use their account (RFC 6749 §4.1.1). */
export async function authorizationURL(
  { authorizationParameters = {} }: Pick<OAuthConnectorConfiguration, "authorizationParameters">,
  provider: ResolvedProvider,
  { state, codeVerifier, redirectURL, scopes }: AuthorizationRequest,
): Promise<string> {
  const url = new URL(provider.authorizationURL);
  const parameters = {
    ...authorizationParameters,
    response_type: "code",
    client_id: provider.clientID,
    redirect_uri: redirectURL,
    state,
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    ...(provider.resource !== undefined && { resource: provider.resource }),
    ...(codeVerifier !== undefined && {
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
    }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** A code as it came back from a provider; whoever received it has compared `state` and `iss`. */
export interface Redemption {
  readonly code: string;
  readonly codeVerifier?: string;
  readonly redirectURL: string;
  /** As asked for. */
  readonly scopes: readonly string[];
}

/**
 * Redeems a code (RFC 6749 §4.1.3), once, and finds out whose account it is. Where the provider does not tell that, the tokens have no account.
 *
 * @throws {ProviderError}
 */
export async function redeem(
  connector: OAuthConnectorConfiguration,
  provider: ResolvedProvider,
  { code, codeVerifier, redirectURL, scopes }: Redemption,
  ports: ProviderPorts,
): Promise<ProviderTokens> {
  const parameters = {
    ...{ code, redirect_uri: redirectURL },
    ...(codeVerifier !== undefined && { code_verifier: codeVerifier }),
  };
  const sentAt = ports.clock.now();
  const answer = await askTokenEndpoint("authorization_code", parameters, connector, provider, ports);
  const tokens = await kept(tokensOf(answer, { scopes, sentAt }, provider), connector, provider, ports);
  const account = await accountOf(connector, tokens.accessToken, answer, ports);
  return account === undefined ? tokens : { ...tokens, account };
}

/**
 * Spends a refresh token (RFC 6749 §6). The one that comes back is to be used from then on; where none comes, the former stays good.
 *
 * @throws {ProviderError}
 */
export async function refresh(
  connector: OAuthConnectorConfiguration,
  provider: ResolvedProvider,
  { refreshToken, scopes }: { readonly refreshToken: string; readonly scopes: readonly string[] },
  ports: ProviderPorts,
): Promise<ProviderTokens> {
  const sentAt = ports.clock.now();
  const answer = await askTokenEndpoint("refresh_token", { refresh_token: refreshToken }, connector, provider, ports);
  return kept({ refreshToken, ...tokensOf(answer, { scopes, sentAt }, provider) }, connector, provider, ports);
}

/** Bytes of a token, and of all scopes together: a store keeps a connection as one piece (DynamoDB: 400 KB). */
export const LONGEST_TOKEN = 16_384;

/**
 * The tokens, where they are not too long to be kept. Those that are go back to the provider: nobody uses them.
 *
 * @throws {ProviderError} `too_long`
 */
async function kept(
  tokens: ProviderTokens,
  connector: OAuthConnectorConfiguration,
  provider: ResolvedProvider,
  ports: ProviderPorts,
): Promise<ProviderTokens> {
  const { accessToken, refreshToken = "", scopes } = tokens;
  const parts = { "access token": accessToken, "refresh token": refreshToken, "list of scopes": scopes.join(" ") };
  const lengths = Object.entries(parts).map(([name, text]) => [name, utf8(text).length] as const);
  const tooLong = lengths.find(([, length]) => length > LONGEST_TOKEN);
  if (tooLong === undefined) return tokens;
  const [name, length] = tooLong;
  const message = `gave a${name === "access token" ? "n" : ""} ${name} of ${length} bytes; at most ${LONGEST_TOKEN} are kept`;
  try {
    await revoke(connector, provider, tokens, ports);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new ProviderError("too_long", `${message}, and did not take them back: ${error.message}`);
  }
  throw new ProviderError("too_long", message);
}

/**
 * Takes tokens back at the provider (RFC 7009): the refresh token, and then the access token, which need not end with it (§2.1).
 *
 * @returns `unsupported`: the provider has no endpoint for it
 * @throws {ProviderError}
 */
export async function revoke(
  connector: OAuthConnectorConfiguration,
  provider: ResolvedProvider,
  { accessToken, refreshToken }: Pick<ProviderTokens, "accessToken" | "refreshToken">,
  ports: ProviderPorts,
): Promise<"yes" | "unsupported"> {
  if (provider.revocationURL === undefined) return "unsupported";
  if (refreshToken !== undefined) await revokeToken(refreshToken, "refresh_token", connector, provider, ports);
  try {
    await revokeToken(accessToken, "access_token", connector, provider, ports);
  } catch (error) {
    // Some providers know refresh tokens alone there; others find the access token gone with them.
    const isDone = refreshToken !== undefined && error instanceof ProviderError && IS_ANSWER.has(error.failure);
    if (!isDone) throw error;
  }
  return "yes";
}

const IS_ANSWER: ReadonlySet<ProviderFailure> = new Set(["refused", "invalid_grant"]);

interface Asked {
  readonly scopes: readonly string[];
  readonly sentAt: number;
}

/** @throws {ProviderError} where the answer has no token that can be used */
function tokensOf(answer: JsonObject, { scopes, sentAt }: Asked, provider: ResolvedProvider): ProviderTokens {
  const { access_token: accessToken, refresh_token: refreshToken, token_type: type = "bearer", scope } = answer;
  if (typeof accessToken !== "string" || accessToken === "") throw new ProviderError("unclear", "answered no token");
  // RFC 6749 §7.1. Slack calls those of people so.
  if (typeof type !== "string" || !BEARER.has(type.toLowerCase())) {
    throw new ProviderError("unclear", "answered a token of a type other than bearer");
  }
  const seconds = Number(answer.expires_in ?? Number.NaN);
  return {
    accessToken,
    ...(typeof refreshToken === "string" && refreshToken !== "" && { refreshToken }),
    // From before the request: so it never counts as longer than it lives.
    ...(Number.isFinite(seconds) && { expiresAt: sentAt + Math.round(seconds * 1000) }),
    // GitHub and Slack put commas between them.
    scopes: typeof scope === "string" ? scope.split(/[\s,]+/).filter((one) => one !== "") : scopes,
    ...(provider.issuer === undefined ? { tokenURL: provider.tokenURL } : { issuer: provider.issuer }),
    clientID: provider.clientID,
  };
}

const BEARER: ReadonlySet<string> = new Set(["bearer", "user"]);

/**
 * Whose account a token is of: as the connector's `account` finds it, else by the ID token, whose signature the connection to the
 * token endpoint stands for (OpenID Connect Core 1.0 §3.1.3.7). Undefined where nobody says.
 */
async function accountOf(
  connector: OAuthConnectorConfiguration,
  accessToken: string,
  answer: JsonObject,
  ports: ProviderPorts,
): Promise<ProviderTokens["account"]> {
  const { account } = connector;
  if (account === undefined) {
    const claims = claimsOf(answer.id_token);
    return claims && accountFrom(claims.sub, claims.email ?? claims.preferred_username ?? claims.name);
  }
  const told = await accountAnswer(account.url, accessToken, connector, ports);
  if (told === undefined) return undefined;
  return accountFrom(memberOf(told, account.id), account.label && memberOf(told, account.label));
}

/** Undefined: it did not tell. The tokens are good all the same. */
async function accountAnswer(
  url: string,
  accessToken: string,
  connector: OAuthConnectorConfiguration,
  ports: ProviderPorts,
): Promise<JsonObject | undefined> {
  // GitHub refuses requests without a name of the sender.
  const headers = { accept: "application/json", authorization: `Bearer ${accessToken}`, "user-agent": "countersign" };
  try {
    return await answerTo(connector, ports, (options) =>
      options[customFetch](url, { headers, signal: options.signal }),
    );
  } catch (error) {
    if (error instanceof ProviderError) return undefined;
    throw error;
  }
}

function memberOf(object: JsonObject, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), object);
}

function accountFrom(id: unknown, label: unknown): ProviderTokens["account"] {
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  const shown = typeof label === "string" && label !== "" ? label.slice(0, LONGEST_LABEL).toWellFormed() : undefined;
  return { id: String(id).slice(0, LONGEST_ID), ...(shown !== undefined && { label: shown }) };
}

const LONGEST_LABEL = 200;
const LONGEST_ID = 500;

function claimsOf(idToken: unknown): JsonObject | undefined {
  const payload = typeof idToken === "string" ? fromBase64url(idToken.split(".")[1] ?? "") : undefined;
  return payload && parseJsonObject(payload);
}
