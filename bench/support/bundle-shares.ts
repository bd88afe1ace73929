import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { type Loader, transform } from "esbuild";
import { gzipped } from "./sizes.ts";

/** What is used of esbuild's metafile (https://esbuild.github.io/api/#metafile). Inputs are paths relative to the repository. */
export interface BundleMetadata {
  readonly outputs: Readonly<Record<string, BundleOutput>>;
}

interface BundleOutput {
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
}

/** What a package, or a folder of our own, has in the bundle. */
export interface BundleShare {
  readonly origin: string;
  /** Minified bytes. */
  readonly bytes: number;
  /** An estimate, bytes. */
  readonly gzip: number;
}

/**
 * Groups a bundle's inputs by package, largest first. How well a group compresses is tried on its own minified sources; the
 * estimates are then scaled, so that they add up to the bundle's real size.
 */
export async function bundleShares({ outputs }: BundleMetadata, bundleSize: number): Promise<readonly BundleShare[]> {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const groups = Object.entries(Object.groupBy(used, ([path]) => originOf(path)));
  const estimates = await Promise.all(
    groups.map(async ([origin, members = []]) => {
      const bytes = members.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
      return { origin, bytes, gzip: bytes * (await compression(members.map(([path]) => path))) };
    }),
  );
  const scale = bundleSize / estimates.reduce((sum, { gzip }) => sum + gzip, 0);
  return estimates.map((share) => ({ ...share, gzip: share.gzip * scale })).sort((a, b) => b.gzip - a.gzip);
}

/** Packages as they are put together for wrangler; one of them has another name there. */
const PACKAGE = /.*(?:node_modules|dist\/worker-packages)\/((?:@[^/]+\/)?[^/]+)/;
const WEBAUTHN = "webauthn.js";

/** `lib`, `infra`, … for our own files, else the package. */
function originOf(path: string): string {
  const inPackage = PACKAGE.exec(path)?.[1];
  if (inPackage === WEBAUTHN) return "@simplewebauthn/server";
  return inPackage ?? `(own) ${path.split("/")[0]}`;
}

async function compression(paths: readonly string[]): Promise<number> {
  const minified = (await Promise.all(paths.map(minify))).join("");
  return (await gzipped(minified)) / minified.length;
}

async function minify(path: string): Promise<string> {
  const text = await readFile(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");
  const loader: Loader = extname(path) === ".json" ? "json" : "ts";
  return (await transform(text, { loader, minify: true, format: "esm" })).code;
}
