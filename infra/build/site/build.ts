import { existsSync, readFileSync, statSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { documentOfAll } from "../../../lib/management/document.ts";
import { makeSite, type Sources } from "./pages.ts";

const ROOT_PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

/**
 * Builds the site of a repository into a folder, and says how many pages it has. The former site stays until this one is
 * complete. Needs no network, and the site loads nothing from elsewhere.
 *
 * @throws {PageError} as `makeSite` does
 */
export async function buildSite(root: string, target: string): Promise<number> {
  const site = makeSite(await readSources(root));
  const folder = `${target}-${process.pid}`;
  try {
    for (const [name, content] of site.files) await place(join(folder, name), content);
    for (const path of site.copies) await cp(join(root, path), join(folder, path), { recursive: true });
    await placeAssets(root, join(folder, "assets"));
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return site.pages;
}

async function readSources(root: string): Promise<Sources> {
  const below = await readdir(join(root, "docs"), { recursive: true });
  const paths = [...ROOT_PAGES, ...below.filter((path) => path.endsWith(".md")).map((path) => `docs/${path}`)];
  const texts = await Promise.all(paths.map((path) => readFile(join(root, path), "utf8")));
  return {
    pages: new Map(paths.map((path, index) => [path, texts[index] as string])),
    api: documentOfAll(),
    read: (path) => readFileSync(join(root, path), "utf8"),
    kindOf: (path) => {
      const file = join(root, path);
      if (!existsSync(file)) return undefined;
      return statSync(file).isDirectory() ? "folder" : "file";
    },
  };
}

async function place(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

async function placeAssets(root: string, folder: string): Promise<void> {
  const browser = join(import.meta.dirname, "browser");
  const modules = {
    entryPoints: ["main.ts", "diagrams.ts"].map((name) => join(browser, name)),
    format: "esm",
  } as const;
  const common = { outdir: folder, bundle: true, minify: true, target: "es2022", logLevel: "error" } as const;
  await build({ ...common, ...modules, external: ["./diagrams.js"] });
  // Before the first paint: a classic script blocks it, a module does not.
  await build({ ...common, entryPoints: [join(browser, "scheme.ts"), join(browser, "site.css")] });
  const mermaid = createRequire(import.meta.url).resolve("@mermaid-js/tiny");
  await cp(mermaid, join(folder, "mermaid.js"));
  await cp(join(root, "console/public/favicon.svg"), join(folder, "favicon.svg"));
}
