/** Values a log entry may carry. No token, secret, key or assertion ever is one of them. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Structured log. `with` binds fields to every entry of the returned logger, for example the request id. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  with(fields: LogFields): Logger;
}

/**
 * What belongs to the work that is going on: every entry that is written in it, however deep and however late, carries its
 * fields, whichever logger writes it.
 */
export interface LogScope {
  /**
   * Runs the work, and what it leaves to the background, with these fields.
   *
   * @param waitUntil keeps the runtime alive until what the work leaves behind is done; absent: as around it
   */
  run<T>(fields: LogFields, work: () => T, waitUntil?: (left: Promise<void>) => void): T;
  /** Runs work that belongs to nothing that is going on, although it is begun there. */
  outside<T>(work: () => T): T;
  /** The fields of the work that is going on; undefined outside of any. */
  current(): LogFields | undefined;
  /** Of the work that is going on; undefined outside of any, and where the runtime stays by itself. */
  waitUntil(): ((left: Promise<void>) => void) | undefined;
}
