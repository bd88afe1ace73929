import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The bytes of all files below these folders, one behind the other: those of a database with its journals. */
export async function bytesBelow(...folders: readonly string[]): Promise<Buffer> {
  const lists = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })));
  const files = lists.flat().filter((entry) => entry.isFile());
  return Buffer.concat(await Promise.all(files.map(({ parentPath, name }) => bytesOf(join(parentPath, name)))));
}

/** A file that went meanwhile, as journals do, has none. */
async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.of();
    throw error;
  }
}
