import type { LogLevel } from "../config/configuration.ts";
import type { LogFields } from "./logger.ts";

/** One log entry before it becomes a line. */
export interface LogEntry {
  /** As the format of times spells it. */
  readonly time: string | number;
  readonly level: LogLevel;
  readonly message: string;
  /** Identifies the instance that wrote it. */
  readonly soid: string;
  /** Without secrets; none is called `time`, `level`, `msg` or `soid`. */
  readonly fields: LogFields;
}

/** Turns an entry into one line, without the line break. */
export type LineFormat = (entry: LogEntry) => string;
