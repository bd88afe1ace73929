import type { TlsConfiguration } from "../../../../lib/config/configuration.ts";
import type { Dependencies } from "../../../../lib/dependencies.ts";
import { causeOf } from "../../../../lib/logging/cause.ts";
import { fileVersions } from "../../net/file-versions.ts";
import { PemFileError } from "../../net/pem-file.ts";
import { StartupError } from "../../startup-error.ts";
import { lifetimeProblem } from "./certificate-age.ts";
import { filesOf, type ListenerEntry, readListenerEntry } from "./listener-entry.ts";

/** The listener's entries of `tls`, as their files are. */
export interface KeptEntries {
  get(name: string | undefined): ListenerEntry | undefined;
  /** Looks whether files changed; true when an entry was read anew. Files that cannot be used leave the former in use. */
  renew(): boolean;
}

interface Kept {
  readonly entry: ListenerEntry;
  readonly versions: string;
  readonly problem: string | undefined;
}

/**
 * Reads the entries that are named.
 * @throws StartupError when an entry is missing or a file of one cannot be used
 */
export function keepEntries(
  names: readonly string[],
  tls: Readonly<Record<string, TlsConfiguration>>,
  { clock, logger }: Pick<Dependencies, "clock" | "logger">,
): KeptEntries {
  const kept = new Map<string, Kept>(names.map((name) => [name, judged(name, opened(name, tls))]));
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

  function renewed(name: string, former: Kept): Kept {
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

  /** Says once what is to be said about the certificate's lifetime, and again when that changes. */
  function judged(name: string, { entry, versions, problem: said }: Kept): Kept {
    const problem = lifetimeProblem(entry.certificate, clock.now());
    const { validFrom, validTo } = entry.certificate;
    if (problem !== undefined && problem !== said) {
      logger.warn(problem, { tls: name, file: entry.settings.certFile, validFrom, validTo });
    }
    return { entry, versions, problem };
  }
}

function opened(name: string, tls: Readonly<Record<string, TlsConfiguration>>): Kept {
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
