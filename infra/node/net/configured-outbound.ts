import type { Dependencies } from "../../../lib/application/dependencies.ts";
import type { ConnectionConfiguration } from "../../../lib/config/app-configuration.ts";
import type { TlsConfiguration } from "../../../lib/config/configuration.ts";
import { causeOf } from "../../../lib/logging/cause.ts";
import type { Logger } from "../../../lib/logging/logger.ts";
import { OutboundError } from "../../../lib/net/outbound.ts";
import { openFetch, outboundFetch } from "./open-fetch.ts";

export interface ConfiguredOutboundOptions {
  /** Entries of `tls`, by name. */
  readonly tls: Readonly<Record<string, TlsConfiguration>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

/**
 * Outbound HTTP with the settings of the configuration and the environment: one pool of connections for each pair of settings.
 * The files of an entry are read at its first use.
 * @throws OutboundError when a proxy of the environment is no URL
 */
export function configuredOutbound({ tls, environment, logger }: ConfiguredOutboundOptions): Dependencies["outbound"] {
  const plain = outboundFetch(environment);
  const opened = new Map<string, typeof globalThis.fetch>();
  return (name, connection) => {
    if (name === undefined && connection === undefined) return plain;
    const key = JSON.stringify([name ?? null, ...settingsOf(connection)]);
    const known = opened.get(key) ?? opening(name, connection);
    opened.set(key, known);
    return known;
  };

  function opening(name: string | undefined, connection: ConnectionConfiguration | undefined): typeof fetch {
    if (name === undefined) return openFetch(environment, { connection })({});
    return openedEntry(name, { tls, logger }, (entry, report) => openFetch(environment, { report, connection })(entry));
  }
}

/**
 * What is opened with an entry of `tls`.
 * @param open gets the entry, and whom to tell of files that changed and cannot be used
 * @throws OutboundError when there is no such entry, or a file of it cannot be used
 */
export function openedEntry<Opened>(
  name: string,
  { tls, logger }: Pick<ConfiguredOutboundOptions, "tls" | "logger">,
  open: (entry: TlsConfiguration, report: (problem: unknown) => void) => Opened,
): Opened {
  const entry = Object.hasOwn(tls, name) ? tls[name] : undefined;
  if (entry === undefined) throw new OutboundError(`There is no entry ${name} in tls.`);
  const report = (problem: unknown) =>
    logger.error("changed TLS files cannot be used; the former stay in use", { tls: name, cause: causeOf(problem) });
  try {
    return open(entry, report);
  } catch (error) {
    if (error instanceof OutboundError) throw new OutboundError(`tls.${name}.${error.message}`, { cause: error });
    throw error;
  }
}

/** The settings in a fixed order; none for connections of the platform. */
function settingsOf(connection: ConnectionConfiguration | undefined): readonly (number | null)[] {
  if (connection === undefined) return [];
  const { dialTimeout, keepAliveInterval, maxIdleConns, maxIdleConnsPerHost } = connection;
  return [dialTimeout, keepAliveInterval, maxIdleConns, maxIdleConnsPerHost].map((setting) => setting ?? null);
}
