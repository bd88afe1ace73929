import type { Placeholder } from "../../lib/config/artifact.ts";
import { configuredLogger } from "../../lib/config/configured-logger.ts";
import { fillPlaceholders } from "../../lib/config/fill.ts";
import { valueAt } from "../../lib/config/path.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { uuid } from "../../lib/kernel/ids.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { SecretValues } from "../../lib/logging/secret-values.ts";
import { TIME_FORMATS, type TimeFormat } from "../../lib/logging/time-format.ts";
import { SecretError } from "../../lib/secrets/provider.ts";
import { failureReason } from "./failure-reason.ts";
import { readPersistentFile } from "./store-folder/persistent-file.ts";

/** What is known of a configuration that may not be one: the document as far as it could be read. */
export interface ReadDocument {
  readonly document: unknown;
  readonly placeholders: readonly Placeholder[];
}

export interface StartFailureOptions {
  /** Undefined: nothing could be read. */
  readonly read: ReadDocument | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly knownSecrets: SecretValues;
  /** Receives the line without its line break. */
  readonly write: (line: string) => void;
}

/**
 * Writes the log entry of a server that does not start, as the configuration wants entries, as far as that can be read. `soid`
 * is the store's, or one made for this entry.
 */
export async function logStartFailure(error: unknown, options: StartFailureOptions): Promise<void> {
  const { environment, knownSecrets, write } = options;
  const document = await filled(options.read, environment);
  const logger = configuredLogger({
    configuration: {
      level: "error",
      jsonOutput: valueAt(document, ["logger", "jsonOutput"]) === true,
      timeFormat: timeFormatIn(document),
      logSessionID: false,
      fieldOrdering: valueAt(document, ["logger", "fieldOrdering", "enabled"]) === true,
    },
    verbose: false,
    write,
    clock: systemClock,
    soid: storedSoid(valueAt(document, ["store", "path"])) ?? uuid(webCryptoRandom),
    secrets: knownSecrets,
  });
  logger.error("the server cannot start", { cause: failureReason(error) });
}

/** What is needed of the document, with variables in their places. */
async function filled(
  read: ReadDocument | undefined,
  environment: StartFailureOptions["environment"],
): Promise<unknown> {
  if (read === undefined) return undefined;
  const part = { logger: valueAt(read.document, ["logger"]), store: valueAt(read.document, ["store"]) };
  const document = structuredClone(part);
  const needed = read.placeholders.filter(({ path: [section] }) => section === "logger" || section === "store");
  const secrets = { get: async () => Promise.reject(new SecretError("not asked for")) };
  await fillPlaceholders(document, needed, { environment, secrets });
  return document;
}

function timeFormatIn(document: unknown): TimeFormat {
  const name = valueAt(document, ["logger", "timeFormat"]);
  return TIME_FORMATS.find((format) => format === name) ?? "RFC3339Nano";
}

function storedSoid(path: unknown): string | undefined {
  if (typeof path !== "string") return undefined;
  try {
    return readPersistentFile(path, "soid")?.toString("utf8");
  } catch {
    // The reason why it cannot be read is most likely the one that is told.
    return undefined;
  }
}
