import { constants } from "node:crypto";
import type { Server, ServerOptions } from "node:https";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import type { HttpConfiguration, TlsConfiguration } from "../../../../lib/config/configuration.ts";
import type { Dependencies } from "../../../../lib/dependencies.ts";
import { refusalOf } from "./client-certificate.ts";
import { type KeptEntries, keepEntries } from "./kept-entries.ts";
import { asksForCertificate } from "./listener-entry.ts";
import { type EntryOfName, entryOfName, usedEntries } from "./server-names.ts";

export interface TlsListener {
  readonly options: ServerOptions;
  /**
   * Refuses connections whose client does not have what its entry asks for, and follows the files for as long as the
   * server listens.
   * @param interval milliseconds between two looks at them
   */
  attach(server: Server, interval: number): void;
}

/**
 * Reads what a listener needs for TLS; undefined when the configuration wants plain HTTP.
 * @throws StartupError when a file cannot be used
 */
export function openTlsListener(
  http: HttpConfiguration,
  tls: Readonly<Record<string, TlsConfiguration>>,
  dependencies: Pick<Dependencies, "clock" | "logger">,
): TlsListener | undefined {
  const names = usedEntries(http);
  if (names.length === 0) return undefined;
  const entryOf = entryOfName(http);
  const entries = keepEntries(names, tls, dependencies);
  const used = names.map((name) => entries.get(name)?.settings).filter((settings) => settings !== undefined);
  const shared = sharedOptions(used);
  const byDefault = () => ({ ...entries.get(entryOf(undefined))?.options, ...shared });
  return {
    options: {
      ...byDefault(),
      requestCert: used.some(asksForCertificate),
      // Decided below: whether a certificate is needed depends on the name that was asked for.
      rejectUnauthorized: false,
      SNICallback: (servername, done) => done(null, entries.get(entryOf(servername))?.context),
    },
    attach: (server, interval) => {
      server.prependListener("secureConnection", guard(entryOf, entries, dependencies));
      const look = () => {
        if (entries.renew()) server.setSecureContext(byDefault());
      };
      server.once("listening", () => {
        const looking = setInterval(look, interval).unref();
        server.once("close", () => clearInterval(looking));
      });
    },
  };
}

/** What Node decides before it knows which name a client asks for. */
function sharedOptions(used: readonly TlsConfiguration[]): SecureContextOptions {
  const isStrict = used.every(({ minVersion }) => minVersion === "1.3");
  return {
    minVersion: isStrict ? "TLSv1.3" : "TLSv1.2",
    // A resumed session is not verified anew: it would outlive the client's certificate and its authority.
    ...(used.some(asksForCertificate) && { secureOptions: constants.SSL_OP_NO_TICKET }),
  };
}

function guard(entryOf: EntryOfName, entries: KeptEntries, { logger }: Pick<Dependencies, "logger">) {
  return (socket: TLSSocket & { readonly servername?: string | false }): void => {
    const name = entryOf(socket.servername || undefined);
    const entry = entries.get(name);
    const cause = entry === undefined ? "unknown host name" : refusalOf(socket, entry.settings);
    if (cause === undefined) return;
    logger.info("TLS connection refused", { tls: name, cause, remoteAddress: socket.remoteAddress });
    socket.destroy();
  };
}
