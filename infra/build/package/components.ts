import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { CONSOLE_LICENSES } from "../console/build.ts";

/** A package of others of which there is code in what we give away. */
export interface Component {
  readonly name: string;
  readonly version: string;
  /** An identifier or expression of SPDX. */
  readonly license: string;
  /** The texts that the license asks to pass on; empty when the package has none. */
  readonly texts: readonly string[];
  /** SHA-512 of the package as the registry has it, Base64. */
  readonly sha512: string;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
}

const TEXT = /^(licen[cs]e|notice|copying|copyright)/i;

/**
 * The packages in the bundle for Node and in a build of the Console, in the order of their names. Their versions and hashes
 * are those of the lockfile.
 * @param root the repository
 */
export async function componentsOf(root: string, metafile: Metafile, console: string): Promise<readonly Component[]> {
  const lockfile = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as Lockfile;
  const folders = new Set([...foldersOf(metafile), ...(await foldersOfConsole(console, lockfile))]);
  const components = await Promise.all([...folders].map((folder) => read(root, folder, lockfile)));
  const named = new Map(components.map((component) => [`${component.name}@${component.version}`, component]));
  return [...named.keys()].toSorted().flatMap((key) => named.get(key) ?? []);
}

/** Folders of packages, as the lockfile names them, of which at least one byte is in the bundle. */
function foldersOf({ outputs }: Metafile): readonly string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  return inputs.flatMap(([path, { bytesInOutput }]) => {
    const folder = /\bnode_modules\/.*/.exec(path)?.[0].match(/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0];
    return folder === undefined || bytesInOutput === 0 ? [] : [folder];
  });
}

async function foldersOfConsole(console: string, { packages }: Lockfile): Promise<readonly string[]> {
  const list = await readFile(join(console, CONSOLE_LICENSES), "utf8").catch(() => {
    throw new Error(`${console} does not say which packages are in it: make it with npm run build:console.`);
  });
  return (JSON.parse(list) as readonly Component[]).map(({ name, version }) => {
    const entry = Object.entries(packages).find(
      ([path, locked]) => path.endsWith(`node_modules/${name}`) && locked.version === version,
    );
    if (entry === undefined) throw new Error(`${name} ${version} of the Console is not in package-lock.json.`);
    return entry[0];
  });
}

async function read(root: string, folder: string, { packages }: Lockfile): Promise<Component> {
  const path = join(root, folder);
  const manifest = JSON.parse(await readFile(join(path, "package.json"), "utf8"));
  const { integrity = "" } = packages[folder] ?? {};
  const [, sha512] = /^sha512-(\S+)$/.exec(integrity) ?? [];
  if (sha512 === undefined) throw new Error(`${folder} has no SHA-512 in package-lock.json.`);
  if (typeof manifest.license !== "string") throw new Error(`${folder}/package.json names no license.`);
  const files = (await readdir(path)).filter((name) => TEXT.test(name)).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(join(path, name), "utf8")));
  return { name: manifest.name, version: manifest.version, license: manifest.license, texts, sha512 };
}
