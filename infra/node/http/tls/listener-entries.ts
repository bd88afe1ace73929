import type { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import type { Dependencies } from "../../../../lib/application/dependencies.ts";
import type { TlsConfiguration } from "../../../../lib/config/configuration.ts";
import { causeOf } from "../../../../lib/logging/cause.ts";
import { fileVersions, PemFileError, readCertificates, readKeyPair } from "../../net/pem-file.ts";
import { StartupError } from "../../startup-error.ts";

/** An entry of `tls` as the listener uses it, with what its files held when it was read. */
interface ListenerEntry {
  readonly settings: TlsConfiguration;
  readonly options: SecureContextOptions;
  readonly context: SecureContext;
  readonly certificate: X509Certificate;
}

/** The listener's entries of `tls`, with the content of their files. */
export interface TlsEntries {
  get(name: string | undefined): ListenerEntry | undefined;
  /** Reads changed files again; true if an entry changed. If a file cannot be used, the former entry stays in use. */
  renew(): boolean;
}

/**
 * Reads the entries that are named.
 * @throws StartupError when an entry is missing or a file of one cannot be used
 */
export function loadEntries(
  names: readonly string[],
  tls: Readonly<Record<string, TlsConfiguration>>,
  { clock, logger }: Pick<Dependencies, "clock" | "logger">,
): TlsEntries {
  const kept = new Map<string, LoadedEntry>(names.map((name) => [name, judged(name, opened(name, tls))]));
  return {
    get: (name) => (name === undefined ? undefined : kept.get(name)?.entry),
    renew: () => {
      let hasChanged = false;
      for (const [name, former] of kept) {
        const next = renewed(name, former);
        kept.set(name, judged(name, next));
        hasChanged ||= next.entry !== former.entry;
      }
      return hasChanged;
    },
  };

  function renewed(name: string, former: LoadedEntry): LoadedEntry {
    const { settings } = former.entry;
    const versions = fileVersions(filesOf(settings));
    if (versions === former.versions) return former;
    try {
      const entry = readListenerEntry(settings);
      logger.info("TLS certificate read anew", { tls: name, validTo: entry.certificate.validTo });
      return { entry, versions, problem: undefined };
    } catch (error) {
      logger.error("changed TLS files cannot be used; the former stay in use", { tls: name, cause: causeOf(error) });
      return { ...former, versions };
    }
  }

  /** Logs a problem of the certificate's lifetime once, and again when it changes. */
  function judged(name: string, { entry, versions, problem: said }: LoadedEntry): LoadedEntry {
    const problem = lifetimeProblem(entry.certificate, clock.now());
    const { validFrom, validTo } = entry.certificate;
    if (problem !== undefined && problem !== said) {
      logger.warn(problem, { tls: name, file: entry.settings.certFile, validFrom, validTo });
    }
    return { entry, versions, problem };
  }
}

/**
 * Reads the files of an entry.
 * @throws PemFileError when one cannot be used
 */
function readListenerEntry(settings: TlsConfiguration): ListenerEntry {
  const { minVersion, clientCAFiles } = settings;
  const certFile = { key: "certFile", file: settings.certFile ?? "" };
  const { pem, key, certificates } = readKeyPair(certFile, { key: "keyFile", file: settings.keyFile ?? "" });
  const authorities = clientCAFiles.map(
    (file, index) => readCertificates({ key: `clientCAFiles[${index}]`, file }).pem,
  );
  const options: SecureContextOptions = {
    cert: pem,
    key,
    minVersion: `TLSv${minVersion}`,
    ...(authorities.length > 0 && { ca: authorities }),
  };
  try {
    return { settings, options, context: createSecureContext(options), certificate: certificates[0] };
  } catch (error) {
    throw new PemFileError(certFile, `cannot be used: ${reasonOf(error)}`, { cause: error });
  }
}

/** The files that the listener reads for an entry. */
function filesOf({ certFile, keyFile, clientCAFiles }: TlsConfiguration): readonly string[] {
  return [certFile, keyFile, ...clientCAFiles].filter((file) => file !== undefined);
}

/** Whether clients are asked for a certificate. */
export function asksForCertificate({ clientAuth }: TlsConfiguration): boolean {
  return clientAuth !== "NoClientCert";
}

interface LoadedEntry {
  readonly entry: ListenerEntry;
  readonly versions: string;
  readonly problem: string | undefined;
}

function opened(name: string, tls: Readonly<Record<string, TlsConfiguration>>): LoadedEntry {
  const settings = Object.hasOwn(tls, name) ? tls[name] : undefined;
  if (settings === undefined) throw new StartupError(`The listener uses tls.${name}, which is not configured.`);
  try {
    const versions = fileVersions(filesOf(settings));
    return { entry: readListenerEntry(settings), versions, problem: undefined };
  } catch (error) {
    if (!(error instanceof PemFileError)) throw error;
    throw new StartupError(`tls.${name}.${error.message}.`, { cause: error });
  }
}

/** The problem of a certificate's lifetime at a time, milliseconds since the epoch; undefined if there is none. */
function lifetimeProblem({ validFrom, validTo }: X509Certificate, now: number): string | undefined {
  if (now < Date.parse(validFrom)) return "the TLS certificate is not valid yet";
  const left = Date.parse(validTo) - now;
  if (left <= 0) return "the TLS certificate has expired";
  return left < WARNING_DAYS * DAY ? "the TLS certificate expires within a week" : undefined;
}

const DAY = 86_400_000;
const WARNING_DAYS = 7;

/** OpenSSL's reason, for example `ee key too small`. */
function reasonOf(error: unknown): string {
  const reason = error instanceof Error && "reason" in error ? error.reason : undefined;
  return typeof reason === "string" ? reason : "the TLS library refuses it";
}
