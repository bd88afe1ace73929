import type { ConnectionConfiguration } from "../../../lib/config/app-configuration.ts";
import type { ConnectionTls, OpenFetch } from "../../../lib/net/outbound.ts";
import { type Proxies, proxiesOf } from "../../../lib/net/proxies.ts";
import { filesOf, readConnectionTls, type TlsOptions } from "./connection-tls.ts";
import type { ConnectionSettings, Connections } from "./connections.ts";
import { fileVersions } from "./pem-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Fetch = typeof globalThis.fetch;

export interface OpenFetchOptions {
  /** Milliseconds between two looks whether the files of a connection's settings changed; five seconds unless given. */
  readonly lookInterval?: number;
  /** Receives why files that changed cannot be used. */
  readonly report?: (problem: unknown) => void;
  /** How connections are made and kept; given, no answer is ended for its silence. Absent: the platform's own way. */
  readonly connection?: ConnectionConfiguration | undefined;
}

/**
 * Makes a `fetch` with its own TLS settings and connections. The files are read at once, and again when they change. New
 * connections use the new files. If these cannot be used, the former ones stay in use.
 * @throws OutboundError when a proxy of the environment is no URL
 */
export function openFetch(environment: Environment, options: OpenFetchOptions = {}): OpenFetch {
  const proxies = proxiesOf(environment);
  return (tls) => {
    const connections = watchedConnections(tls, options, (read) =>
      lazyConnections({ tls: read, connection: options.connection }, proxies),
    );
    return (input, init) => connections().fetch(input, init);
  };
}

/**
 * Connections with settings whose files are read at once, and again when they change.
 * @param open makes them with what was read
 * @returns those of now
 */
export function watchedConnections(
  tls: ConnectionTls,
  options: Pick<OpenFetchOptions, "lookInterval" | "report">,
  open: (read: TlsOptions) => LazyConnections,
): () => LazyConnections {
  const settings = watchedSettings(tls, options);
  let connections = open(settings.read());
  return () => {
    const changed = settings.changed();
    if (changed !== undefined) {
      connections.close();
      connections = open(changed);
    }
    return connections;
  };
}

/**
 * `fetch` through the proxies of the environment, with undici's own limits.
 * @throws OutboundError when a proxy is no URL
 */
export function outboundFetch(environment: Environment): Fetch {
  return lazyConnections({ tls: {}, isHttp1: true }, proxiesOf(environment)).fetch;
}

/** The settings of a connection, and the new settings when the files have changed. */
function watchedSettings(tls: ConnectionTls, { lookInterval = 5_000, report }: OpenFetchOptions) {
  const files = filesOf(tls);
  let [versions, lookedAt] = [fileVersions(files), performance.now()];
  return {
    read: () => readConnectionTls(tls),
    changed: (): TlsOptions | undefined => {
      if (files.length === 0 || performance.now() - lookedAt < lookInterval) return undefined;
      lookedAt = performance.now();
      const found = fileVersions(files);
      if (found === versions) return undefined;
      versions = found;
      try {
        return readConnectionTls(tls);
      } catch (error) {
        report?.(error);
        return undefined;
      }
    },
  };
}

/** Connections that come about with the first request. */
export interface LazyConnections {
  readonly fetch: Fetch;
  readonly load: () => Promise<Connections>;
  close(): void;
}

/** Nothing is loaded before the first request. */
export function lazyConnections(settings: ConnectionSettings, proxies: Proxies | undefined): LazyConnections {
  let loading: Promise<Connections> | undefined;
  const load = () => {
    loading ??= import("./connections.ts").then(({ openConnections }) => openConnections(settings, proxies));
    return loading;
  };
  return {
    fetch: async (input, init) => (await load()).fetch(input, init),
    load,
    // The requests have received the error of a failed import.
    close: () => void loading?.then(({ close }) => close()).catch(() => undefined),
  };
}
