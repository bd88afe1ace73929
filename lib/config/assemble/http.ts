import type { HttpConfiguration, Runtime, TlsConfiguration } from "../configuration.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import { parseAddress } from "../schema/http.ts";
import { present, type Report } from "./context.ts";

interface Listener {
  readonly host: string;
  readonly port: number;
}

const EVERYWHERE: Listener = { host: "::", port: 0 };

/** The listener, and the URL that clients use: configured, or derived from the listener on Node. */
export function assembleHttp(
  { address, publicURL, accessLog, tls, hosts, trustedProxies, workers }: ConfigurationDocument["http"],
  runtime: Runtime,
  report: Report,
): HttpConfiguration & { readonly publicURL: string } {
  // The schema has seen to it that it is an address.
  const listener = parseAddress(address) ?? EVERYWHERE;
  if (publicURL === undefined && runtime === "node" && listener.port === 0) {
    report(["http", "publicURL"], "required with port 0; accepted: the URL that clients use");
  }
  const scheme = tls === undefined && hosts.length === 0 ? "http" : "https";
  return {
    ...listener,
    accessLog,
    ...(tls !== undefined && { tls }),
    hosts: hosts.map(({ default: isDefault, name, tls }) => ({ isDefault, ...(name !== undefined && { name }), tls })),
    trustedProxies,
    workers,
    publicURL: publicURL === undefined ? derived(scheme, listener) : new URL(publicURL).origin,
  };
}

/** Nobody can connect to "every interface", so that the name of this machine's own stands in. */
function derived(scheme: "http" | "https", { host, port }: Listener): string {
  const everywhere = host === "0.0.0.0" || host === "::";
  const name = everywhere ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return new URL(`${scheme}://${name}:${port}`).origin;
}

/** The entries of `tls`, by name. */
export function assembleTls(entries: ConfigurationDocument["tls"]): Readonly<Record<string, TlsConfiguration>> {
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, assembleEntry(entry)]));
}

function assembleEntry({
  certFile,
  keyFile,
  caFile,
  ...entry
}: ConfigurationDocument["tls"][string]): TlsConfiguration {
  return { ...entry, ...present({ certFile, keyFile, caFile }) };
}
