import type { HttpConfiguration } from "../configuration.ts";
import type { Path } from "../path.ts";
import type { Runtime } from "../resolve.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import { parseAddress } from "../schema/http.ts";

export type Report = (path: Path, message: string) => void;
/** The value at a place as a message may show it: how its placeholder is written, else `value`. */
export type Shown = (path: Path, value: string) => string;

interface Listener {
  readonly host: string;
  readonly port: number;
}

const EVERYWHERE: Listener = { host: "::", port: 0 };

/** The listener, and the URL that clients use: configured, or derived from the listener on Node. */
export function assembleHttp(
  { address, publicURL, accessLog, tls, hosts, trustedProxies }: ConfigurationDocument["http"],
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
    publicURL: publicURL === undefined ? derived(scheme, listener) : new URL(publicURL).origin,
  };
}

/** Nobody can connect to "every interface", so that the name of this machine's own stands in. */
function derived(scheme: "http" | "https", { host, port }: Listener): string {
  const everywhere = host === "0.0.0.0" || host === "::";
  const name = everywhere ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return new URL(`${scheme}://${name}:${port}`).origin;
}
