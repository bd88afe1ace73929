import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { AssetEncoding, ConsoleAssets } from "../../../lib/console/assets.ts";
import { INDEX } from "../../../lib/console/paths.ts";

/** What the build leaves beside a file for those who read it compressed. */
export const SUFFIXES: Readonly<Record<AssetEncoding, string>> = { br: ".br", gzip: ".gz" };

/**
 * The Console's files in a folder, all read when the first is asked for and kept in memory: a build made meanwhile takes
 * none away whose names pages already know. What is no plain file, such as a link, is not part of it. As long as there is
 * no build, each request looks again.
 */
export function builtFiles(folder: string): ConsoleAssets {
  let reading: Promise<Files> | undefined;
  const files = async () => {
    reading ??= readFiles(folder);
    try {
      const read = await reading;
      if (!read.has(INDEX)) reading = undefined;
      return read;
    } catch (error) {
      reading = undefined;
      throw error;
    }
  };
  return {
    read: async (path, accepted) => {
      const all = await files();
      const plain = all.get(path);
      if (plain === undefined) return undefined;
      const encoding = accepted.find((one) => all.has(path + SUFFIXES[one]));
      const file = encoding === undefined ? plain : (all.get(path + SUFFIXES[encoding]) ?? plain);
      return { ...file, encoding, varies: Object.values(SUFFIXES).some((suffix) => all.has(path + suffix)) };
    },
  };
}

interface StoredFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}
type Files = ReadonlyMap<string, StoredFile>;

async function readFiles(folder: string): Promise<Files> {
  const entries = (await listed(folder)).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll("\\", "/"));
  return new Map(await Promise.all(paths.map(async (path) => [path, await storedFile(join(folder, path))] as const)));
}

async function listed(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

async function storedFile(file: string): Promise<StoredFile> {
  const body = new Uint8Array(await readFile(file));
  return { body, etag: `"${createHash("sha256").update(body).digest("base64url")}"` };
}
