import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Manifest } from "vite";

const ENTRY = "index.html";

/** Bytes of script, compressed, that any page may need before it works. */
const FIRST_LOAD_LIMIT = 250 * 1024;

/** Says line by line what pages weigh. Rejects when one needs too much at first. */
export async function weighPages(folder: string, manifest: Manifest): Promise<readonly string[]> {
  const pages = Object.keys(manifest).filter((name) => manifest[name]?.isDynamicEntry);
  const start = await weigh(folder, manifest, [ENTRY]);
  const lines = [`dist/console  start ${describe(start)}`];
  let heaviest = start.script;
  for (const page of pages) {
    const whole = await weigh(folder, manifest, [ENTRY, page]);
    heaviest = Math.max(heaviest, whole.script);
    lines.push(
      `  ${page}  +${kibibytes(whole.script - start.script)} script, +${kibibytes(whole.style - start.style)} style`,
    );
  }
  if (heaviest > FIRST_LOAD_LIMIT) throw new Error("The Console's first load has grown above its limit.");
  return [...lines, `First load: at most ${kibibytes(heaviest)} of script, ${kibibytes(FIRST_LOAD_LIMIT)} allowed.`];
}

interface Weight {
  readonly script: number;
  readonly style: number;
}

/** What these entries load together, each file once, as gzip has it. */
async function weigh(folder: string, manifest: Manifest, entries: readonly string[]): Promise<Weight> {
  const chunks = new Set<string>();
  const add = (name: string) => {
    if (chunks.has(name)) return;
    chunks.add(name);
    for (const imported of manifest[name]?.imports ?? []) add(imported);
  };
  for (const entry of entries) add(entry);
  const files = [...chunks].flatMap((name) => manifest[name] ?? []);
  const [script, style] = await Promise.all([
    sizeOf(
      folder,
      files.map(({ file }) => file),
    ),
    sizeOf(
      folder,
      files.flatMap(({ css }) => css ?? []),
    ),
  ]);
  return { script, style };
}

async function sizeOf(folder: string, files: readonly string[]): Promise<number> {
  const sizes = [...new Set(files)].map(
    async (file) => (await promisify(gzip)(await readFile(join(folder, file)))).length,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function describe({ script, style }: Weight): string {
  return `${kibibytes(script)} script, ${kibibytes(style)} style (gzip)`;
}

function kibibytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}
