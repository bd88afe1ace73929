import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hashOfSources } from "./sources.ts";

/** In the folder of a build: the hash of what it was made of. */
export const STAMP = ".sources";

/** Whether `dist/console` of a repository was made of the sources as they are. */
export async function isConsoleCurrent(root: string): Promise<boolean> {
  const stamp = await readFile(join(root, "dist/console", STAMP), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return stamp !== undefined && stamp === (await hashOfSources(root));
}
