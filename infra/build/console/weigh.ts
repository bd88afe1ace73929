import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Manifest } from "vite";

const ENTRY = "index.html";

/** Bytes of script, compressed, that any page may need before it works. */
const FIRST_LOAD_LIMIT = 250 * 1024;

/** The same of a part that a page loads by itself once it is there, and of a worker: nobody waits for them to use another page. */
const LATER_LIMIT = 300 * 1024;
/** Where Vite puts a worker, by the name of its file: it has no entry in the manifest. */
const WORKER = /^worker-[\w-]+\.js$/;

/** Says line by line what pages weigh. Rejects when one needs too much at first, or a part of one too much later. */
export async function weighPages(folder: string, manifest: Manifest): Promise<readonly string[]> {
  const dynamic = Object.keys(manifest).filter((name) => manifest[name]?.isDynamicEntry);
  const ofStart = new Set(Object.values(chunksOf(manifest, [ENTRY])).flatMap((chunk) => chunk.dynamicImports ?? []));
  const pages = dynamic.filter((name) => ofStart.has(name));
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
  const later = await weighLater(
    folder,
    manifest,
    dynamic.filter((name) => !ofStart.has(name)),
  );
  lines.push(...later.map(({ name, script }) => `  later: ${name}  ${kibibytes(script)} script`));
  if (later.some(({ script }) => script > LATER_LIMIT))
    throw new Error("A part of the Console has grown above its limit.");
  if (heaviest > FIRST_LOAD_LIMIT) throw new Error("The Console's first load has grown above its limit.");
  return [...lines, `First load: at most ${kibibytes(heaviest)} of script, ${kibibytes(FIRST_LOAD_LIMIT)} allowed.`];
}

/** What parts of pages add to the start, and whole workers. */
async function weighLater(folder: string, manifest: Manifest, parts: readonly string[]) {
  const start = await weigh(folder, manifest, [ENTRY]);
  const weighed = parts.map(async (name) => {
    const { script } = await weigh(folder, manifest, [ENTRY, name]);
    return { name, script: script - start.script };
  });
  const files = await readdir(join(folder, "assets")).catch(() => []);
  const workers = files
    .filter((file) => WORKER.test(file))
    .map(async (file) => ({ name: file, script: await sizeOf(folder, [`assets/${file}`]) }));
  return Promise.all([...weighed, ...workers]);
}

interface Weight {
  readonly script: number;
  readonly style: number;
}

/** What these entries load together, each file once, as gzip has it. */
async function weigh(folder: string, manifest: Manifest, entries: readonly string[]): Promise<Weight> {
  const files = Object.values(chunksOf(manifest, entries));
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

/** The entries and all that they import at once, by name. */
function chunksOf(manifest: Manifest, entries: readonly string[]): Manifest {
  const chunks: Manifest = {};
  const add = (name: string) => {
    const chunk = manifest[name];
    if (chunk === undefined || Object.hasOwn(chunks, name)) return;
    chunks[name] = chunk;
    for (const imported of chunk.imports ?? []) add(imported);
  };
  for (const entry of entries) add(entry);
  return chunks;
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
