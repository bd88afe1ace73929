import { readFile } from "node:fs/promises";
import { fileErrorReason } from "../files/file-error.ts";
import { UsageError } from "../usage-error.ts";

/**
 * The text of a key file.
 * @throws UsageError when it cannot be read
 */
export async function readKey(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${fileErrorReason(error)}.`);
  });
}
