import type { Clock } from "../../lib/kernel/clock.ts";
import { uuid } from "../../lib/kernel/ids.ts";
import type { Random } from "../../lib/kernel/random.ts";
import { lineLogger } from "../../lib/logging/line-logger.ts";
import { jsonLine } from "../../lib/logging/log-line.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { redactor } from "../../lib/logging/redaction.ts";
import { type SecretValues, secretValues } from "../../lib/logging/secret-values.ts";

/** Receives each log line without its line break. */
export type WriteLine = (line: string) => unknown;

/** What all log entries of one instance have in common, also those from before it has a configuration. */
export interface InstanceLog {
  readonly write: WriteLine;
  /** Lives as long as the instance. */
  readonly soid: string;
  readonly secrets: SecretValues;
}

export function instanceLog(write: WriteLine, random: Random): InstanceLog {
  return { write, soid: uuid(random), secrets: secretValues() };
}

/** For where no configuration says how lines look. */
export function unconfiguredLogger({ write, soid, secrets }: InstanceLog, clock: Clock): Logger {
  return lineLogger({ level: "info", format: jsonLine, write, clock, soid, redact: redactor(secrets) });
}
