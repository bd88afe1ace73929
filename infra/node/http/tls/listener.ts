import { constants } from "node:crypto";
import type { Server, ServerOptions } from "node:https";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import type { Dependencies } from "../../../../lib/application/dependencies.ts";
import type { HttpConfiguration, TlsConfiguration } from "../../../../lib/config/configuration.ts";
import { ulid } from "../../../../lib/kernel/ids.ts";
import { asksForCertificate, loadEntries, type TlsEntries } from "./listener-entries.ts";

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
  dependencies: Pick<Dependencies, "clock" | "random" | "logger">,
): TlsListener | undefined {
  const names = usedEntries(http);
  if (names.length === 0) return undefined;
  const entryOf = entryOfName(http);
  const entries = loadEntries(names, tls, dependencies);
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

function guard(
  entryOf: EntryOfName,
  entries: TlsEntries,
  { clock, random, logger }: Pick<Dependencies, "clock" | "random" | "logger">,
) {
  return (socket: TLSSocket & { readonly servername?: string | false }): void => {
    const name = entryOf(socket.servername || undefined);
    const entry = entries.get(name);
    const cause = entry === undefined ? "unknown host name" : refusalOf(socket, entry.settings);
    if (cause === undefined) return;
    const requestId = ulid(clock.now(), random);
    logger.info("TLS connection refused", { requestId, tls: name, cause, remoteAddress: socket.remoteAddress });
    socket.destroy();
  };
}

/** Why a connection does not meet the conditions of its entry of `tls`, for the log; undefined if it does. */
function refusalOf(socket: TLSSocket, { clientAuth, minVersion }: TlsConfiguration): string | undefined {
  // The listener accepts the lowest version of all its entries. The entry of this client is known only now.
  if (minVersion === "1.3" && socket.getProtocol() !== "TLSv1.3") return "TLS version too low";
  const isPresent = socket.getPeerX509Certificate() !== undefined;
  switch (clientAuth) {
    case "NoClientCert":
    case "RequestClientCert":
      return undefined;
    case "RequireAnyClientCert":
      return isPresent ? undefined : MISSING;
    case "VerifyClientCertIfGiven":
      return isPresent ? verification(socket) : undefined;
    case "RequireAndVerifyClientCert":
      return isPresent ? verification(socket) : MISSING;
  }
}

const MISSING = "no client certificate";

function verification(socket: TLSSocket): string | undefined {
  if (socket.authorized) return undefined;
  // The types say Error; it is the code, for example CERT_HAS_EXPIRED.
  return `client certificate refused: ${String(socket.authorizationError)}`;
}

/** Finds the entry of `tls` for a host name that a client asks for (SNI, RFC 6066 section 3); undefined: nobody answers. */
type EntryOfName = (servername: string | undefined) => string | undefined;

/** An exact name comes before `*.` and a name, which stands for one label more; the default is for all others, and for no name. */
function entryOfName({ tls, hosts }: Pick<HttpConfiguration, "tls" | "hosts">): EntryOfName {
  const byName = new Map(hosts.flatMap(({ name, tls }) => (name === undefined ? [] : [[plain(name), tls] as const])));
  const byDefault = tls ?? hosts.find(({ isDefault }) => isDefault)?.tls;
  return (servername) => {
    if (servername === undefined) return byDefault;
    const name = plain(servername);
    return byName.get(name) ?? byName.get(name.replace(/^[^.]+\./, "*.")) ?? byDefault;
  };
}

/** The entries that the listener uses, each once. */
function usedEntries({ tls, hosts }: Pick<HttpConfiguration, "tls" | "hosts">): readonly string[] {
  return [...new Set([...(tls === undefined ? [] : [tls]), ...hosts.map(({ tls }) => tls)])];
}

function plain(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
