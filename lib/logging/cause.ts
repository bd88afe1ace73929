/** What was thrown, for a log entry: `name: message`. */
export function causeOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Where it was thrown, for a log entry; what was thrown when that is not known. */
export function stackOf(error: unknown): string {
  return error instanceof Error && error.stack !== undefined ? error.stack : causeOf(error);
}
