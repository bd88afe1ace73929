import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Manifest } from "vite";
import { documentOfAll } from "../../../lib/management/document.ts";
import { MANAGEMENT_DOCUMENT } from "../../../lib/management/document-file.ts";
import { compressFiles } from "./compress.ts";
import { STAMP } from "./current.ts";
import { hashOfSources } from "./sources.ts";
import { weighPages } from "./weigh.ts";

/** Workers are given neither the compressed forms, which the platform makes itself, nor what is about the build. */
const NOT_UPLOADED = "*.br\n*.gz\n.*\n";

/** In the folder of a build: the packages in it and their licences, as Vite writes them. */
export const CONSOLE_LICENSES = ".licenses.json";

/**
 * Builds the Console of a repository into `dist/console`, and says line by line what pages weigh. The former build stays
 * until this one is complete. Rejects when it cannot be built, or a page needs too much at first.
 */
export async function buildConsole(root: string): Promise<readonly string[]> {
  const target = join(root, "dist/console");
  const folder = join(root, `dist/.console-${process.pid}`);
  const hash = await hashOfSources(root);
  try {
    await mkdir(folder, { recursive: true });
    const lines = await weighPages(folder, await bundle(join(root, "console"), folder));
    await compressFiles(folder);
    await writeFile(join(folder, MANAGEMENT_DOCUMENT), JSON.stringify(documentOfAll()));
    await writeFile(join(folder, ".assetsignore"), NOT_UPLOADED);
    await writeFile(join(folder, STAMP), hash);
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
    return lines;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What Vite made; its manifest is for this build alone. */
async function bundle(root: string, outDir: string): Promise<Manifest> {
  const made = { manifest: "manifest.json", license: { fileName: CONSOLE_LICENSES } };
  await build({ root, logLevel: "error", build: { outDir, emptyOutDir: true, ...made } });
  const file = join(outDir, "manifest.json");
  const manifest = JSON.parse(await readFile(file, "utf8")) as Manifest;
  await rm(file);
  return manifest;
}
