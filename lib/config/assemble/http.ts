import type { HttpConfiguration } from "../configuration.ts";
import type { Path } from "../path.ts";
import type { Runtime } from "../resolve.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import { parseAddress } from "../schema/http.ts";

export type Report = (path: Path, message: string) => void;
/** The value at a place as a message may show it: how its placeholder is written, else `value`. */
export type Shown = (path: Path, value: string) => string;

const DEFAULT_ADDRESS = { host: "127.0.0.1", port: 8080 };

/** The listener, and the URL that clients use: configured, or derived from the listener on Node. */
export function assembleHttp(
  { address, publicURL, accessLog }: ConfigurationDocument["http"],
  runtime: Runtime,
  report: Report,
): HttpConfiguration & { readonly publicURL: string } {
  const listener = (address === undefined ? undefined : parseAddress(address)) ?? DEFAULT_ADDRESS;
  if (publicURL === undefined && runtime === "node" && listener.port === 0) {
    report(["http", "publicURL"], "required with port 0; accepted: the URL that clients use");
  }
  return { ...listener, accessLog, publicURL: publicURL === undefined ? derived(listener) : new URL(publicURL).origin };
}

/** Nobody can connect to "every interface", so that the name of this machine's own stands in. */
function derived({ host, port }: { readonly host: string; readonly port: number }): string {
  const everywhere = host === "0.0.0.0" || host === "::";
  const name = everywhere ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return new URL(`http://${name}:${port}`).origin;
}
