import { join } from "node:path";
import { resultCode } from "../sqlite/result-code.ts";
import { StartupError } from "../startup-error.ts";

/** What SQLite refused, with the database that it refused it of; any other error is given back as it is. */
export function namingStore(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || resultCode(error) === undefined) return error;
  const file = join(folder, "countersign.db");
  return new StartupError(`The store ${file} cannot be used: ${error.message}.`, { cause: error });
}
