import type { LogLevel } from "../config/configuration.ts";
import type { LogFields } from "./logger.ts";

/** One log entry before it becomes a line. */
export interface LogEntry {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly level: LogLevel;
  readonly message: string;
  /** Identifies the instance that wrote it. */
  readonly soid: string;
  readonly fields: LogFields;
}

/** Turns an entry into one line, without the line break. */
export type LineFormat = (entry: LogEntry) => string;
