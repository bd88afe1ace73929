import { createLocalJWKSet, type JWK } from "jose";
import type { Configuration } from "../config/configuration.ts";
import type { SignalsConfiguration } from "../config/signals-configuration.ts";
import type { Connector, ConnectorKeys } from "../connectors/connectors.ts";
import type { ConnectorPorts } from "../connectors/ports.ts";
import { isJsonObject } from "../kernel/json.ts";
import { createRateLimit } from "../kernel/rate-limit.ts";
import { createRefreshingCache, type RefreshingCache, type WaitUntil } from "../kernel/refreshing-cache.ts";
import { loggableUrl, reportTo } from "../logging/fetch-report.ts";
import { fetchJson } from "../protocol/http/fetch-json.ts";
import { DISCOVERY_TIMEOUT } from "../protocol/oauth/fetch-discovery.ts";
import { pollSource } from "./poll.ts";
import { authenticateTransmitter, type Delivery, type ReceiverPorts, takeEvent } from "./receive.ts";
import type { EventSource } from "./security-event.ts";

/** Security events of identity providers (OpenID Shared Signals Framework 1.0), as stops of people (D229). */
export interface SignalReceiver {
  /** Whether a transmitter posts events about people of this connector. */
  isPushedFor(connector: string): boolean;
  /**
   * Whether the transmitter may post, before its body is read.
   *
   * @throws {SetError} `authentication_failed`
   */
  admit(connector: string, authorization: string | undefined, delivery: Delivery): Promise<void>;
  /** Takes an event that was posted, as `takeEvent`. */
  take(connector: string, token: string, delivery: Delivery): Promise<void>;
  /** Fetches what is due to be fetched. Never rejects. */
  poll(waitUntil: WaitUntil): Promise<void>;
  /** What is kept for the receiver of the next configuration. */
  readonly sources: readonly KeptSource[];
}

export type SignalPorts = ReceiverPorts & ConnectorPorts;

interface KeptSource extends EventSource {
  readonly connector: Connector;
  /** When events were last fetched, milliseconds. */
  polledAt: number;
}

/** Milliseconds. */
const KEYS_ARE_OLD_AFTER = 3_600_000;
/** One fetch brings all keys. */
const LOOKUPS = { capacity: 20, perSecond: 1 / 3 };

/** @param former the one of the configuration before: the keys that it knows stay in use */
export function createSignalReceiver(
  { signals }: Pick<Configuration, "signals">,
  connectors: readonly Connector[],
  ports: SignalPorts,
  former?: SignalReceiver,
): SignalReceiver {
  const sources = signals.flatMap((settings) => {
    const connector = connectors.find((one) => one.settings.name === settings.connector);
    return connector === undefined ? [] : [sourceOf(settings, connector, ports, former?.sources ?? [])];
  });
  const pushed = (name: string): KeptSource => {
    const source = sources.find(({ settings }) => settings.connector === name && settings.poll === undefined);
    if (source === undefined) throw new Error("nobody posts events for this connector");
    return source;
  };
  const isDue = ({ settings: { poll }, polledAt }: KeptSource) =>
    poll !== undefined && Math.abs(ports.clock.now() - polledAt) >= poll.interval;
  return {
    sources,
    isPushedFor: (name) => sources.some(({ settings }) => settings.connector === name && settings.poll === undefined),
    admit: (name, authorization, delivery) => authenticateTransmitter(authorization, pushed(name), ports, delivery),
    take: (name, token, delivery) => takeEvent(token, pushed(name), ports, delivery),
    poll: async (waitUntil) => {
      const due = sources.filter(isDue);
      for (const source of due) source.polledAt = ports.clock.now();
      await Promise.all(
        due.map((source) => pollSource(source, () => ports.outbound(source.connector.settings.tls), ports, waitUntil)),
      );
    },
  };
}

function sourceOf(
  settings: SignalsConfiguration,
  connector: Connector,
  ports: SignalPorts,
  former: readonly KeptSource[],
): KeptSource {
  const { jwksURL } = settings;
  const known = former.find((one) => one.settings.connector === settings.connector && one.settings.jwksURL === jwksURL);
  const isSame = known !== undefined && known.connector.settings.tls === connector.settings.tls;
  const own = () => ownKeys(String(jwksURL), connector, ports);
  return {
    ...{ settings, connector, polledAt: known?.polledAt ?? Number.NEGATIVE_INFINITY },
    issuer: async (waitUntil) => (await connector.metadata.get(waitUntil))?.issuer,
    keys: jwksURL === undefined ? connector.keys : isSame ? known.keys : own(),
    // Of its own: what strangers push uses up nothing that sign-in at the connector needs.
    mayLookUpKeys: isSame ? known.mayLookUpKeys : boundedLookups(ports),
  };
}

function boundedLookups({ clock }: Pick<SignalPorts, "clock">): () => boolean {
  const limit = createRateLimit(clock, LOOKUPS);
  return () => limit.take("");
}

/** Keys of a transmitter that are not where those of the connector are (RFC 7517). */
function ownKeys(
  url: string,
  { settings: { name, tls } }: Connector,
  { outbound, clock, random, logger }: SignalPorts,
): RefreshingCache<ConnectorKeys> {
  return createRefreshingCache({
    ...{ clock, random, refreshInterval: KEYS_ARE_OLD_AFTER },
    load: async (signal) => {
      const { status, body } = await fetchJson(outbound(tls), url, { timeout: DISCOVERY_TIMEOUT, signal });
      if (status !== 200 || !Array.isArray(body?.keys)) throw new Error(`the JWKS answered ${status} without keys`);
      return createLocalJWKSet({ keys: body.keys.filter(isJsonObject) as JWK[] });
    },
    report: reportTo(logger, "keys of security events", { connector: name, url: loggableUrl(url) }),
  });
}
