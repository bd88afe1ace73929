/** Primary result codes (https://sqlite.org/rescode.html). */
export const SQLITE_BUSY = 5;
export const SQLITE_CORRUPT = 11;

/** The primary result code of an error of `node:sqlite`: the lowest byte of the extended one. Undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}
