/** What was thrown, for a log entry: `name: message`. */
export function causeOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Errors that one entry tells, each the cause of the one before. */
const DEEPEST = 5;

/** Where it was thrown, and why, for a log entry; what was thrown when that is not known. */
export function stackOf(error: unknown, depth = 1): string {
  if (!(error instanceof Error)) return causeOf(error);
  const { stack = causeOf(error), cause } = error;
  return cause === undefined || depth === DEEPEST ? stack : `${stack}\ncaused by ${stackOf(cause, depth + 1)}`;
}
