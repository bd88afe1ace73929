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
