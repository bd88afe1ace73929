export type LogLevel = "debug" | "info" | "warn" | "error";

export interface LoggerConfiguration {
  readonly level: LogLevel;
  readonly jsonOutput: boolean;
  /** Name of a time format of Go, for example `RFC3339Nano`. */
  readonly timeFormat: string;
  readonly logSessionID: boolean;
  /** Fields stand in one fixed order in every entry. */
  readonly fieldOrdering: boolean;
}

/** `SVC_DEBUG_MODE` is neither of its two values. */
export class DebugModeError extends Error {
  override readonly name = "DebugModeError";
}

/**
 * `SVC_DEBUG_MODE=true` logs everything, whatever the configuration says; `false`, empty and absent leave it to that.
 * @throws DebugModeError on anything else, which somebody took for one of them
 */
export function isDebugMode({ SVC_DEBUG_MODE: value = "" }: Readonly<Record<string, string | undefined>>): boolean {
  if (!["true", "false", ""].includes(value)) {
    throw new DebugModeError(`SVC_DEBUG_MODE: found ${JSON.stringify(value.slice(0, 20))}; accepted: true, false.`);
  }
  return value === "true";
}
