import { type AuditEventPorts, auditEvent } from "../audit/event.ts";
import type { Configuration, OAuthConnectorConfiguration } from "../config/configuration.ts";
import { connectURL } from "../config/endpoints.ts";
import { boundedCache } from "../kernel/bounded-cache.ts";
import { ulid } from "../kernel/ids.ts";
import type { JsonObject } from "../kernel/json.ts";
import { createRateLimit } from "../kernel/rate-limit.ts";
import { pause } from "../kernel/timers.ts";
import type { Logger } from "../logging/logger.ts";
import type { InstanceStops } from "../stops/instance-stops.ts";
import type { AuditEvent, AuditEventType, AuditLog } from "../stores/audit-log.ts";
import type { ConnectionKey, ConnectionRecord, Connections } from "../stores/connections.ts";
import type { Grants } from "../stores/grants.ts";
import { keyOfStop, type StopIndex, stopOf } from "../stores/stop-subjects.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import {
  CONNECT_LIFETIME,
  type ConnectRequest,
  connectionKeyOf,
  findConnectRequest,
  storeConnectRequest,
} from "./connect-request.ts";
import { isGranted } from "./granted-scopes.ts";
import type { CallConnections, ConnectionOutcome, ConnectionWant, ConnectLink } from "./person-connections.ts";
import type { ProviderTokens } from "./provider.ts";
import type { ProviderPorts } from "./provider-request.ts";
import { isRefused, keyOf, nameOf, type TokenNeed } from "./refresh.ts";
import type { ProviderResolver } from "./resolved-provider.ts";
import { createRevocations } from "./revocations.ts";
import { isOfConnector, sealable } from "./token-origin.ts";
import { createTokenSupply } from "./token-supply.ts";
import { type ConnectionTokens, createVault } from "./vault.ts";

/** People's accounts at providers: tokens for calls, and what people do with the connections. One for each configuration. */
export interface PersonConnections extends CallConnections {
  /**
   * Seals and stores what the provider gave, with `connection.completed`. What was there before is revoked at the provider if it was of
   * another account: of the same one, a provider could end with it what it just gave.
   */
  complete(request: ConnectRequest, tokens: ProviderTokens, context: RequestContext): Promise<void>;
  /**
   * Keeps a pair, sealed, while the person decides on another account. Where nobody decides it is revoked at the provider (D218).
   *
   * @returns what the browser's interaction keeps: it has no tokens
   */
  hold(request: ConnectRequest, tokens: ProviderTokens): Promise<JsonObject>;
  /** Takes out what was held, once; undefined when it is gone, or is of another request. */
  held(request: ConnectRequest, content: JsonObject): Promise<ProviderTokens | undefined>;
  /** The person keeps the connection that there is: what was held is revoked at the provider. Never rejects. */
  discardHeld(request: ConnectRequest, content: JsonObject): Promise<void>;
  /** Nobody keeps these tokens: they are revoked at the provider. Never rejects. */
  discard(request: ConnectRequest, tokens: ProviderTokens): Promise<void>;
  /** Whether the person, the agent, the organization or the app is stopped now. */
  isStopped(request: ConnectRequest, context: Pick<RequestContext, "waitUntil">): Promise<boolean>;
  /**
   * Takes a connection back: it serves no call from the next one on. Then the provider is told.
   *
   * @param by who does it, as audit records have their actor
   * @returns false: there is none
   */
  disconnect(key: ConnectionKey, connectionId: string, by: string, request: RequestContext): Promise<boolean>;
  /** Tells providers of these tokens that serve nobody, or of all that are due. Never rejects. */
  revoke(records?: readonly ConnectionRecord[]): Promise<void>;
  /** Drops the tokens that are open in memory. */
  forget(): void;
}

export interface PersonConnectionsPorts extends ProviderPorts, AuditEventPorts {
  readonly logger: Logger;
  readonly instanceStops: Pick<InstanceStops, "current" | "revision">;
  readonly resolver: ProviderResolver;
  readonly stores: {
    readonly connections: Pick<
      Connections,
      | "connection"
      | "connect"
      | "beginRefresh"
      | "settleRefresh"
      | "noteUse"
      | "disconnect"
      | "hold"
      | "takeHeld"
      | "deleted"
      | "postpone"
      | "purge"
    >;
    readonly grants: Pick<Grants, "begin" | "interaction" | "advance" | "finish">;
    readonly auditLog: Pick<AuditLog, "append">;
  };
}

type ConnectionsConfiguration = Pick<
  Configuration,
  "oauthConnectors" | "vaultKeys" | "oidcProvider" | "mcpProvider" | "publicURL"
>;

/** Milliseconds that a call's tokens stay open in memory. */
const OPEN_FOR = 30_000;
/** Connections whose tokens are open at a time, at some 4 KB each. */
const MOST_OPEN = 10_000;
/** Links that a person gets for an app. */
const LINKS = { capacity: 3, perSecond: 3 / 3_600 };
const MOST_LINKS = 10_000;
/** Milliseconds. */
const USE_NOTED_EVERY = 3_600_000;
const LOOK_AGAIN = 500;
/** From when the question about another account is over, which is as old as its link, to when its tokens are revoked; milliseconds. */
const ANSWER_MARGIN = 60_000;

/** @throws Error where no vault key is configured */
export function createPersonConnections(
  configuration: ConnectionsConfiguration,
  ports: PersonConnectionsPorts,
): PersonConnections {
  const { clock, random, stores, instanceStops } = ports;
  const vault = createVault(configuration.vaultKeys, configuration.oidcProvider?.region ?? "", random);
  const connectors = new Map(configuration.oauthConnectors.map((connector) => [connector.name, connector]));
  const limit = createRateLimit(clock, LINKS);
  const links = boundedCache<string, string>(MOST_LINKS);
  let opened = boundedCache<string, Opened>(MOST_OPEN);
  let openedSince = clock.now();
  let stopsRevision = instanceStops.revision();

  const forget = (): void => {
    opened = boundedCache(MOST_OPEN);
    openedSince = clock.now();
  };

  async function open(record: ConnectionRecord): Promise<ConnectionTokens | undefined> {
    const revision = instanceStops.revision();
    // A clock that was set back ends what is open as well.
    if (revision !== stopsRevision || Math.abs(clock.now() - openedSince) >= OPEN_FOR) forget();
    stopsRevision = revision;
    const name = nameOf(record);
    const known = opened.get(name);
    if (known?.sealed === record.sealed.tokens) return known.tokens;
    const tokens = await vault.open(record.sealed, record);
    const connector = connectors.get(record.connector);
    const isUsable = tokens !== undefined && (connector === undefined || isOfConnector(tokens, connector));
    if (isUsable) opened.put(name, { sealed: record.sealed.tokens, tokens });
    else opened.delete(name);
    return isUsable ? tokens : undefined;
  }

  const supply = createTokenSupply({ ...ports, vault, open });

  const eventOf = (type: AuditEventType, of: ConnectionKey, more: Partial<AuditEvent>): AuditEvent => {
    const { organizationId, person, app } = of;
    const { agent = of.agent, ...rest } = more;
    return auditEvent(ports, {
      ...{ type, outcome: "success", user: person, app },
      ...(organizationId !== "" && { organizationId }),
      ...(agent !== "" && { agent }),
      ...rest,
    });
  };

  const revocations = createRevocations({ ...ports, vault, connectors, event: eventOf });

  function needOf(
    want: ConnectionWant,
    connector: OAuthConnectorConfiguration,
    request: RequestContext,
    refused: string | undefined,
  ): TokenNeed {
    const began = clock.now();
    return {
      ...{ connector, resource: want.outbound.resource, refused, logger: request.logger },
      isStopped: async () => isStopped(await instanceStops.current(request.waitUntil), want, began),
      event: (type, reason) =>
        eventOf(type, keyFor(want), {
          ...{ requestId: request.requestId, agent: want.agent, details: { connector: connector.name } },
          ...(reason !== undefined && { reason }),
          ...(type === "connection.lost" && { outcome: "upstream_error" as const }),
        }),
    };
  }

  async function obtain(want: ConnectionWant, request: RequestContext, refused?: string): Promise<ConnectionOutcome> {
    const { connector: name } = want.outbound;
    const connector = connectors.get(name);
    if (connector === undefined) return { outcome: "unavailable", reason: "connector_not_found" };
    const missingAll = { outcome: "not_connected", missing: want.scopes, connector: name } as const;
    const record = await stores.connections.connection(keyFor(want));
    // One that was made at another connector is of another provider.
    if (record === undefined || record.state === "deleted" || record.connector !== name) {
      return { ...missingAll, why: "none" };
    }
    if (record.state === "reconnect") return { ...missingAll, why: "reconnect" };
    const missing = want.scopes.filter((scope) => !isGranted(scope, record.scopes));
    if (missing.length > 0) return { outcome: "not_connected", why: "scopes", missing, connector: name };
    const need = needOf(want, connector, request, refused);
    const supplied = await supply(record, need, request);
    if (supplied.kind === "unavailable") return { outcome: "unavailable", reason: supplied.reason };
    if (supplied.kind !== "usable") return { ...missingAll, why: supplied.kind };
    noteUse(supplied.record, request);
    return { outcome: "obtained", token: supplied.tokens.accessToken, connectionId: supplied.record.connectionId };
  }

  function noteUse(record: ConnectionRecord, { waitUntil }: Pick<RequestContext, "waitUntil">): void {
    const now = clock.now();
    if (now - record.lastUsedAt < USE_NOTED_EVERY) return;
    waitUntil(stores.connections.noteUse(keyOf(record), record.connectionId, now));
  }

  /** A link that this process gave, and that nobody used yet. */
  async function openLink(name: string): Promise<ConnectLink | undefined> {
    const id = links.get(name);
    if (id === undefined || (await findConnectRequest(id, ports)) === undefined) return undefined;
    return { id, url: connectURL(id, configuration) };
  }

  return {
    obtain,
    async ask(want, request, session) {
      const { organizationId, person, app, agent, agentIssuer, outbound } = want;
      const record = await stores.connections.connection(keyFor(want));
      const granted = record?.state === "deleted" ? [] : (record?.scopes ?? []);
      const wanted: ConnectRequest = {
        ...{ organizationId, person, app, agent, connector: outbound.connector, perAgent: outbound.perAgent },
        scopes: [...new Set([...outbound.scopes, ...granted, ...want.scopes])],
        ...(agentIssuer !== undefined && { agentIssuer }),
      };
      const { returnTo } = want;
      const asked = {
        ...wanted,
        ...(session !== undefined && { session }),
        ...(returnTo !== undefined && { returnTo }),
      };
      const name = JSON.stringify(asked);
      const known = await openLink(name);
      if (known !== undefined) return known;
      // A link that another session or page got serves as well; that session alone hears when the person is done.
      if (!limit.take(nameOf(keyFor(want)))) return openLink(JSON.stringify(wanted));
      const details = { connector: outbound.connector, scopes: asked.scopes.join(" ") };
      const { requestId } = request;
      await stores.auditLog.append(eventOf("connection.requested", keyFor(want), { agent, requestId, details }));
      const id = await storeConnectRequest(asked, ports);
      links.put(name, id);
      links.put(JSON.stringify(wanted), id);
      return { id, url: connectURL(id, configuration) };
    },
    async connected(want, milliseconds, signal) {
      const until = clock.now() + milliseconds;
      for (let left = milliseconds; left > 0 && !signal.aborted; left = until - clock.now()) {
        const record = await stores.connections.connection(keyFor(want));
        if (record !== undefined && serves(record, want) && (await open(record)) !== undefined) return true;
        await pause(Math.min(LOOK_AGAIN, left), signal);
      }
      return false;
    },
    async complete(request, tokens, context) {
      const key = connectionKeyOf(request);
      const now = clock.now();
      const { connector, agent } = request;
      const record: ConnectionRecord = {
        ...key,
        ...{ connectionId: `connection_${ulid(now, random)}`, connector, scopes: tokens.scopes },
        ...(tokens.account !== undefined && { account: tokens.account }),
        sealed: await vault.seal(sealable(tokens), key),
        ...(tokens.expiresAt !== undefined && { expiresAt: tokens.expiresAt }),
        ...{ canRefresh: tokens.refreshToken !== undefined, state: "connected", attempt: 0 },
        ...{ connectedAt: now, lastUsedAt: now },
      };
      const { connectionId } = record;
      const { requestId } = context;
      const event = eventOf("connection.completed", key, { agent, requestId, details: { connector, connectionId } });
      const former = await stores.connections.connect(record, event);
      opened.delete(nameOf(key));
      if (former === undefined || !isOfAnotherAccount(former, record)) return;
      const pair = await vault.open(former.sealed, former);
      if (pair === undefined) return;
      context.waitUntil(revocations.discard({ of: key, connector: former.connector, tokens: pair }));
    },
    async hold(request, tokens) {
      const pair = { of: connectionKeyOf(request), connector: request.connector, tokens: sealable(tokens) };
      const { connectionId } = await revocations.hold(pair, clock.now() + CONNECT_LIFETIME + ANSWER_MARGIN);
      return { connectionId, facts: heldFacts(tokens) };
    },
    async held(request, { connectionId, facts }) {
      const tokens = await revocations.take(connectionKeyOf(request), String(connectionId));
      return tokens && { ...(facts as HeldFacts), ...tokens };
    },
    discardHeld: (request, { connectionId }) => revocations.release(connectionKeyOf(request), String(connectionId)),
    discard: (request, tokens) =>
      revocations.discard({ of: connectionKeyOf(request), connector: request.connector, tokens: sealable(tokens) }),
    async isStopped({ organizationId, person, app, agent }, { waitUntil }) {
      return isStopped(await instanceStops.current(waitUntil), { organizationId, person, app, agent }, clock.now());
    },
    async disconnect(key, connectionId, by, request) {
      const { requestId } = request;
      const event = eventOf("connection.revoked", key, { actor: by, requestId, details: { connectionId } });
      const former = await stores.connections.disconnect(key, connectionId, event);
      if (former === undefined) return false;
      opened.delete(nameOf(key));
      request.waitUntil(revocations.tell({ ...former, state: "deleted" }));
      return true;
    },
    revoke: revocations.tellDue,
    forget,
  };
}

/** The tokens of a record, while its text is this. */
interface Opened {
  readonly sealed: string;
  readonly tokens: ConnectionTokens;
}

type HeldFacts = Pick<ProviderTokens, "scopes" | "expiresAt" | "account">;

function heldFacts({ scopes, expiresAt, account }: ProviderTokens): HeldFacts {
  return { scopes, ...(expiresAt !== undefined && { expiresAt }), ...(account !== undefined && { account }) };
}

function keyFor(want: ConnectionWant): ConnectionKey {
  return connectionKeyOf({ ...want, perAgent: want.outbound.perAgent });
}

/** Whether a call with these scopes would be carried out with it. */
function serves(record: ConnectionRecord, want: ConnectionWant): boolean {
  const { state, connector, scopes } = record;
  if (state === "reconnect" || state === "deleted" || isRefused(record)) return false;
  if (connector !== want.outbound.connector) return false;
  return want.scopes.every((scope) => isGranted(scope, scopes));
}

/**
 * Whether the tokens of a former connection are to be revoked. Those of the same account are not: many providers know one grant for each
 * account and client, and would end the new tokens as well. Where nobody knows the accounts, what the person had taken back is revoked.
 */
function isOfAnotherAccount(former: ConnectionRecord, next: ConnectionRecord): boolean {
  if (former.connector !== next.connector) return true;
  if (former.account !== undefined && next.account !== undefined) return former.account.id !== next.account.id;
  return former.state === "deleted";
}

/** Whether the person, the agent, the organization or the app was stopped, or their sessions ended since the call began. */
function isStopped(
  index: StopIndex,
  { organizationId, person, app, agent }: Pick<ConnectionWant, "organizationId" | "person" | "app" | "agent">,
  beganAt: number,
): boolean {
  if (index.size === 0) return false;
  const organization = organizationId === "" ? {} : { organizationId };
  if (stopOf(index, { ...organization, subject: person, clients: [agent], beganAt }) !== undefined) return true;
  const ofApp = index.get(keyOfStop({ kind: "app", id: app })) ?? [];
  return ofApp.some((stop) => stop.organizationId === undefined || stop.organizationId === organizationId);
}
