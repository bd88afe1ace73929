import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "vite";
import { compressFiles } from "./compress.ts";
import { STAMP } from "./current.ts";
import { hashOfSources } from "./sources.ts";

/** Workers are given neither the compressed forms, which the platform makes itself, nor what is about the build. */
const NOT_UPLOADED = "*.br\n*.gz\n.*\n";

/**
 * Builds the Console of a repository into `dist/console`. The former build stays until this one is complete.
 * Rejects when it cannot be built.
 */
export async function buildConsole(root: string): Promise<void> {
  const target = join(root, "dist/console");
  const folder = join(root, `dist/.console-${process.pid}`);
  const hash = await hashOfSources(root);
  try {
    await mkdir(folder, { recursive: true });
    await build({ root: join(root, "console"), logLevel: "error", build: { outDir: folder, emptyOutDir: true } });
    await compressFiles(folder);
    await writeFile(join(folder, ".assetsignore"), NOT_UPLOADED);
    await writeFile(join(folder, STAMP), hash);
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
