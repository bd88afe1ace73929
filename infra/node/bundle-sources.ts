import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Beside the files of the bundle: what it was made of. */
const RECORD = "sources.json";
/** Where this is missing, the bundle was taken away from the sources: it cannot be compared with them. */
const OF_A_CHECKOUT = "package-lock.json";

/** Of each file, by its path within the repository: when it was changed, milliseconds, and the hash of its contents. */
type Sources = Readonly<Record<string, readonly [changed: number, hash: string]>>;

/**
 * Writes down what a bundle was made of.
 * @param paths within the repository
 */
export function recordSources(root: string, bundle: string, paths: readonly string[]): void {
  const sources: Sources = Object.fromEntries(
    paths.map((path) => [path, [statSync(join(root, path)).mtimeMs, hashOf(join(root, path))]]),
  );
  writeFileSync(join(bundle, RECORD), JSON.stringify(sources));
}

/**
 * The first file that has changed since the bundle was made of it; undefined when there is none, or no sources are there.
 * Only files with another time are read, so that this takes some ten milliseconds.
 */
export function changedSource(root: string, bundle: string): string | undefined {
  if (!existsSync(join(root, OF_A_CHECKOUT)) || !existsSync(join(bundle, RECORD))) return undefined;
  const sources = JSON.parse(readFileSync(join(bundle, RECORD), "utf8")) as Sources;
  return Object.entries(sources).find(([path, [changed, hash]]) => {
    const file = join(root, path);
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined || (stats.mtimeMs !== changed && hashOf(file) !== hash);
  })?.[0];
}

function hashOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("base64url");
}
