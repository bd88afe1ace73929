import { sha256base64url } from "#sha256";
import type { OAuthConnectorConfiguration } from "../config/configuration.ts";
import type { Random } from "../kernel/random.ts";
import { pause } from "../kernel/timers.ts";
import { causeOf } from "../logging/cause.ts";
import type { Logger } from "../logging/logger.ts";
import type { AuditEvent } from "../stores/audit-log.ts";
import type {
  ConnectionKey,
  ConnectionRecord,
  Connections,
  RefreshIntent,
  RefreshOutcome,
} from "../stores/connections.ts";
import { type ProviderTokens, refresh, revoke } from "./provider.ts";
import { ProviderError, type ProviderPorts } from "./provider-request.ts";
import { ProviderNotResolved, type ProviderResolver, type ResolvedProvider } from "./resolved-provider.ts";
import { isOfProvider, sealable } from "./token-origin.ts";
import type { ConnectionTokens, Vault } from "./vault.ts";

/** A call that needs the tokens of a connection. */
export interface TokenNeed {
  readonly connector: OAuthConnectorConfiguration;
  /** Of the app: what tokens are for (RFC 8707). */
  readonly resource?: string | undefined;
  /** An access token that the upstream did not take. */
  readonly refused?: string | undefined;
  /** Whether somebody stopped whom the call is of, from this call's beginning to now. */
  readonly isStopped: () => Promise<boolean>;
  readonly event: (type: "connection.refreshed" | "connection.lost", reason?: string) => AuditEvent;
  readonly logger: Pick<Logger, "warn">;
}

/** What a call gets: a pair that is durable, or why there is none. */
export type TokenSupply =
  | { readonly kind: "usable"; readonly record: ConnectionRecord; readonly tokens: ConnectionTokens }
  | { readonly kind: "none" | "reconnect" }
  /** A short code. */
  | { readonly kind: "unavailable"; readonly reason: string };

export interface RefreshPorts extends ProviderPorts {
  readonly random: Random;
  readonly vault: Pick<Vault, "seal">;
  readonly resolver: ProviderResolver;
  /** The tokens of a record; undefined when they do not open, or are of another provider than the configuration has. */
  readonly open: (record: ConnectionRecord) => Promise<ConnectionTokens | undefined>;
  readonly stores: { readonly connections: Pick<Connections, "connection" | "beginRefresh" | "settleRefresh"> };
}

/** A token is renewed when it ends sooner than this, milliseconds: a call may take as long. */
export const RENEWED_BEFORE = 60_000;
/** Milliseconds that an attempt is its holder's alone: longer than the request may take, on clocks that differ by as much as this. */
const LEASE = 30_000;
const SKEW = 20_000;
/** Looks at the record in one call: each follows something that somebody else, or this call, did to it. */
const MOST_LOOKS = 60;
/** Requests in one call, within the provider's grace. */
const MOST_REQUESTS = 3;
/** Refusals in a row that do not tell whether the grant is over, until the person is asked to connect again (D215). */
const MOST_REFUSALS = 3;
/** So many times longer a provider is left alone from then on: 1 to 3 minutes. */
const REFUSED_PATIENCE = 12;

/**
 * Whether the provider refused to renew it again and again without telling why: the person is asked to connect again. The pair stays and
 * is tried now and then, in case it was the client that was refused, and an operator mends it.
 */
export function isRefused({ refusals = 0 }: Pick<ConnectionRecord, "refusals">): boolean {
  return refusals >= MOST_REFUSALS;
}

/**
 * The tokens of a connection for a call, renewed where they are about to end (D212). At most one attempt at renewing runs in a region
 * unless its lease is over: the intent is durable before the request, the outcome before anybody uses it.
 *
 * @param found as it was read for this call
 * @param now as it is since: another one where the call waited
 * @throws StoreUnavailableError
 */
export async function supplyTokens(
  found: ConnectionRecord,
  now: ConnectionRecord | undefined,
  need: TokenNeed,
  ports: RefreshPorts,
): Promise<TokenSupply> {
  const begun = ports.clock.now();
  let record = now;
  let requests = 0;
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    if (record === undefined || record.state === "deleted") return { kind: "none" };
    if (record.state === "reconnect") return { kind: "reconnect" };
    const tokens = await ports.open(record);
    // The vault key is lost, the record was altered, or the provider is another. What was may come back: nothing is written.
    if (tokens === undefined) return { kind: "reconnect" };
    const isRenewed = record.sealed.tokens !== found.sealed.tokens;
    const step = nextStep(record, tokens, need, { now: ports.clock.now(), begun, requests, isRenewed });
    if (step === "serve") return { kind: "usable", record, tokens };
    if (typeof step === "object") return step;
    if (step === "lose") return lose(record, tokens.refreshToken ?? tokens.accessToken, need, ports, "not_renewable");
    if (step === "wait") {
      await pause(Math.min(FIRST_WAIT * (looks + 1), LONGEST_WAIT));
      record = await ports.stores.connections.connection(record);
      continue;
    }
    const made = await renew(record, tokens, need, ports);
    if ("kind" in made) return made;
    requests += made.isSent ? 1 : 0;
    record = made.record;
  }
  return { kind: "unavailable", reason: "refreshing" };
}

/** Milliseconds between looks at what another instance makes of the connection: all of them take as long as a lease. */
const FIRST_WAIT = 25;
const LONGEST_WAIT = 650;

type Step = "serve" | "lose" | "wait" | "renew" | TokenSupply;

interface Moment {
  readonly now: number;
  readonly begun: number;
  /** That this call sent without learning what became of them. */
  readonly requests: number;
  /** There is another pair than when the call began, by this call or by another one. */
  readonly isRenewed: boolean;
}

/** What the record asks for: the table of D212. */
function nextStep(
  record: ConnectionRecord,
  { accessToken, refreshToken }: ConnectionTokens,
  { connector, refused }: TokenNeed,
  { now, begun, requests, isRenewed }: Moment,
): Step {
  const { state, expiresAt = Number.POSITIVE_INFINITY, canRefresh, leaseUntil = 0, retryAt = 0 } = record;
  const isTaken = accessToken !== refused;
  const lives = isTaken && expiresAt > now;
  if (isTaken && expiresAt - now >= RENEWED_BEFORE) return "serve";
  // The provider's tokens are this short, or it gave the same one again: renewing once more in this call would bring no better one.
  if (isRenewed && expiresAt > now) return "serve";
  // Whoever cannot renew has no other sign than the upstream's 401 that the token was revoked (RFC 6750 §3.1).
  if (!canRefresh || refreshToken === undefined) return lives ? "serve" : "lose";
  if (state === "refreshing" && leaseUntil > now) return lives ? "serve" : "wait";
  if (isRenewed) return { kind: "unavailable", reason: "ended" };
  const { grace } = connector.refresh;
  const isUnclear = state !== "connected";
  if (requests > 0) {
    // Within its grace the provider takes a spent token again, so nothing is lost by asking at once.
    if (requests < MOST_REQUESTS && now - begun < grace) return "renew";
    return lives ? "serve" : { kind: "unavailable", reason: "unclear" };
  }
  // Elsewhere the repetition may look like theft, and would end a token that still serves (RFC 9700 §4.14.2).
  if (isUnclear && lives && grace === 0) return "serve";
  if (retryAt > now) {
    if (lives) return "serve";
    return isRefused(record) ? { kind: "reconnect" } : { kind: "unavailable", reason: "backing_off" };
  }
  return "renew";
}

/** The record as it is now, for another look. */
interface Look {
  readonly record: ConnectionRecord | undefined;
  /** A request was sent of which nobody knows what became. */
  readonly isSent: boolean;
}

/** Intent, request, outcome. */
async function renew(
  record: ConnectionRecord,
  tokens: ConnectionTokens,
  need: TokenNeed,
  ports: RefreshPorts,
): Promise<Look | TokenSupply> {
  const { clock, stores } = ports;
  const old = asLongAsItLives(record, tokens, need, clock.now());
  if (await need.isStopped()) return { kind: "unavailable", reason: "stopped" };
  const provider = await found(need, ports);
  if (provider === undefined) return old ?? { kind: "unavailable", reason: "provider_not_found" };
  // A refresh token goes to nobody but who gave it, whatever metadata says by now.
  if (!isOfProvider(tokens, provider, need))
    return old ?? lose(record, digested(tokens), need, ports, "other_provider");
  const spent = digested(tokens);
  const begun = await stores.connections.beginRefresh(intentOf(record, spent, need, clock.now()));
  // Somebody else was first, or took the connection away.
  if (!begun.isBegun || begun.record === undefined) return { record: begun.record, isSent: false };
  const attempt = { record, spentDigest: sha256base64url(spent), attempt: begun.record.attempt, old };
  let made: ProviderTokens;
  try {
    const { scopes } = record;
    made = await refresh(need.connector, provider, { refreshToken: spent, scopes }, ports);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return failed(error, attempt, provider, need, ports);
  }
  return renewed(made, attempt, provider, need, ports);
}

function digested({ refreshToken, accessToken }: ConnectionTokens): string {
  return refreshToken ?? accessToken;
}

/** The former access token serves while it is valid. */
function asLongAsItLives(
  record: ConnectionRecord,
  tokens: ConnectionTokens,
  { refused }: TokenNeed,
  now: number,
): TokenSupply | undefined {
  const { expiresAt = Number.POSITIVE_INFINITY } = record;
  return tokens.accessToken !== refused && expiresAt > now ? { kind: "usable", record, tokens } : undefined;
}

async function found(
  { connector, resource, logger }: TokenNeed,
  { resolver }: RefreshPorts,
): Promise<ResolvedProvider | undefined> {
  try {
    return await resolver.resolve(connector, resource === undefined ? {} : { resource });
  } catch (error) {
    if (!(error instanceof ProviderNotResolved)) throw error;
    logger.warn("provider of accounts not found", { connector: connector.name, cause: error.message });
    return undefined;
  }
}

function intentOf(
  record: ConnectionRecord,
  spent: string,
  { connector }: Pick<TokenNeed, "connector">,
  now: number,
): RefreshIntent {
  const { connectionId, attempt } = record;
  const leaseUntil = now + Math.max(LEASE, connector.refresh.timeout + SKEW);
  return {
    ...{ key: keyOf(record), connectionId, spentDigest: sha256base64url(spent) },
    ...{ formerAttempt: attempt, leaseUntil, now },
  };
}

interface Attempt {
  /** Before it. */
  readonly record: ConnectionRecord;
  readonly spentDigest: string;
  readonly attempt: number;
  /** What serves the call where no new pair comes. */
  readonly old: TokenSupply | undefined;
}

/** The new pair becomes durable, or is revoked: nobody uses it before. */
async function renewed(
  made: ProviderTokens,
  { record, spentDigest, attempt }: Attempt,
  provider: ResolvedProvider,
  need: TokenNeed,
  ports: RefreshPorts,
): Promise<Look | TokenSupply> {
  const key = keyOf(record);
  const { connectionId } = record;
  if (await need.isStopped()) {
    await takeBack(made, provider, need, ports);
    const event = need.event("connection.lost", "stopped");
    await settle({ key, connectionId, spentDigest, attempt, change: { state: "reconnect" } }, ports, event);
    return { kind: "unavailable", reason: "stopped" };
  }
  const sealed = await ports.vault.seal(sealable(made), key);
  const { scopes, expiresAt, refreshToken } = made;
  const change = {
    ...{ state: "connected" as const, sealed, scopes, canRefresh: refreshToken !== undefined },
    ...(expiresAt !== undefined && { expiresAt }),
  };
  const isSettled = await settle(
    { key, connectionId, spentDigest, attempt, change },
    ports,
    need.event("connection.refreshed"),
  );
  const now = await ports.stores.connections.connection(key);
  // The answer to the first of two equal writes may have been lost.
  const isDurable = isSettled || now?.sealed.tokens === sealed.tokens;
  const isThere = now !== undefined && now.connectionId === connectionId && now.state !== "deleted";
  // A newer pair of the same grant stays good: revoking this one could end it.
  if (!isDurable && !isThere) await takeBack(made, provider, need, ports);
  return { record: now, isSent: false };
}

async function failed(
  error: ProviderError,
  { record, spentDigest, attempt, old }: Attempt,
  provider: ResolvedProvider,
  need: TokenNeed,
  ports: RefreshPorts,
): Promise<Look | TokenSupply> {
  const { failure, code, isVague, message: cause } = error;
  const { connector, logger } = need;
  const key = keyOf(record);
  const { connectionId } = record;
  logger.warn("connection not refreshed", { connector: connector.name, app: key.app, failure, cause });
  if (code === "invalid_client") await clientRefused(provider, need, ports);
  const write = (change: RefreshOutcome["change"], event?: AuditEvent) =>
    settle({ key, connectionId, spentDigest, attempt, change }, ports, event);
  if (failure === "invalid_grant" || failure === "too_long") {
    await write({ state: "reconnect" }, need.event("connection.lost", failure));
    // A slow holder's pair may be there.
    return { record: await ports.stores.connections.connection(key), isSent: false };
  }
  const refusals = isVague ? (record.refusals ?? 0) + 1 : 0;
  const isGivenUp = isRefused({ refusals });
  if (isGivenUp)
    logger.warn("person asked to connect again", { connector: connector.name, app: key.app, cause: ADVICE });
  const wait = backOff(ports.random) * (isGivenUp ? REFUSED_PATIENCE : 1);
  const retryAt = ports.clock.now() + (error.retryAfter ?? wait);
  const wasUnclear = record.state !== "connected";
  if (failure === "unclear") {
    await write({ state: "uncertain", ...(wasUnclear && { retryAt }) });
    return { record: await ports.stores.connections.connection(key), isSent: true };
  }
  // Nothing was spent now; what became of an earlier request is as unclear as before.
  const patience = { retryAt, ...(refusals > 0 && { refusals }) };
  await write(wasUnclear ? { state: "uncertain", ...patience } : { state: "connected", ...patience });
  return old ?? (isGivenUp ? { kind: "reconnect" } : { kind: "unavailable", reason: failure });
}

/** For the operator. */
const ADVICE =
  "the token endpoint refuses to renew tokens and does not say why: the person took access back there, or the connector's client id or secret is wrong";

/** Milliseconds: 5 to 15 s, so that not all come back at once. */
function backOff(random: Random): number {
  const [high = 0, low = 0] = random.bytes(2);
  return 5_000 + Math.floor(((high * 256 + low) / 65_536) * 10_000);
}

async function clientRefused(
  { clientID }: ResolvedProvider,
  { connector, logger }: TokenNeed,
  { resolver }: RefreshPorts,
): Promise<void> {
  try {
    await resolver.clientRefused(connector, clientID);
  } catch (error) {
    logger.warn("client not registered anew", { connector: connector.name, cause: causeOf(error) });
  }
}

/** Neither token is taken any more: the person has to connect again. */
async function lose(
  record: ConnectionRecord,
  spent: string,
  need: TokenNeed,
  { stores, clock }: RefreshPorts,
  reason: string,
): Promise<TokenSupply> {
  const intent = intentOf(record, spent, need, clock.now());
  const { isBegun, record: begun } = await stores.connections.beginRefresh(intent);
  if (isBegun && begun !== undefined) {
    const { key, connectionId, spentDigest } = intent;
    const outcome = { key, connectionId, spentDigest, attempt: begun.attempt, change: { state: "reconnect" as const } };
    await stores.connections.settleRefresh(outcome, need.event("connection.lost", reason));
  }
  return { kind: "reconnect" };
}

/** What came of a token that is spent must not be lost for a store that is away for a moment. */
async function settle(outcome: RefreshOutcome, { stores }: RefreshPorts, event?: AuditEvent): Promise<boolean> {
  for (const wait of SETTLE_WAITS) {
    try {
      return await stores.connections.settleRefresh(outcome, event);
    } catch {
      await pause(wait);
    }
  }
  return stores.connections.settleRefresh(outcome, event);
}

/** Milliseconds. */
const SETTLE_WAITS = [50, 250, 1_000];

async function takeBack(
  made: ProviderTokens,
  provider: ResolvedProvider,
  { connector, logger }: TokenNeed,
  ports: ProviderPorts,
): Promise<void> {
  try {
    await revoke(connector, provider, made, ports);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    logger.warn("tokens not revoked", { connector: connector.name, cause: error.message });
  }
}

export function keyOf({ organizationId, person, app, agent }: ConnectionKey): ConnectionKey {
  return { organizationId, person, app, agent };
}

/** Names a connection in memory. */
export function nameOf({ organizationId, person, app, agent }: ConnectionKey): string {
  return JSON.stringify([organizationId, person, app, agent]);
}
