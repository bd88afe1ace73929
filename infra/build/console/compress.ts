import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { AssetEncoding } from "../../../lib/console/assets.ts";
import { SUFFIXES } from "../../node/console/built-files.ts";

const COMPRESSIBLE: readonly string[] = [".js", ".css", ".svg", ".json", ".webmanifest", ".txt", ".ico"];

const COMPRESS: Readonly<Record<AssetEncoding, (content: Buffer) => Promise<Buffer>>> = {
  br: promisify(brotliCompress) as (content: Buffer) => Promise<Buffer>,
  gzip: (content) => promisify(gzip)(content, { level: 9 }),
};

/** Puts the compressed forms of a build's files beside them, as far as these are smaller. */
export async function compressFiles(folder: string): Promise<void> {
  const paths = await readdir(folder, { recursive: true });
  await Promise.all(paths.filter(isServed).map((path) => compressFile(join(folder, path))));
}

/** What begins with a dot is about the build. */
function isServed(path: string): boolean {
  return COMPRESSIBLE.includes(extname(path)) && !basename(path).startsWith(".");
}

async function compressFile(file: string): Promise<void> {
  const content = await readFile(file);
  for (const encoding of ["br", "gzip"] as const) {
    const compressed = await COMPRESS[encoding](content);
    if (compressed.length < content.length) await writeFile(file + SUFFIXES[encoding], compressed);
  }
}
