import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import remapping from "@jridgewell/remapping";
import { minify } from "vite";
import { wrangler } from "./wrangler.ts";

/** The source that Workers are bundled from; `wrangler.toml` names what comes of it. */
export const WORKER_SOURCE = "infra/cloudflare/worker.ts";

/**
 * Bundles a Worker with wrangler into `<name of its source>.js` of a folder, with a source map, and shortens its names once more:
 * wrangler's bundler gives each name of a module to one thing alone, which costs 14 KiB after gzip (D237). Nothing else is changed:
 * the minifier's own compression takes calls away that are made for their errors.
 *
 * @param source relative to the repository
 * @param parameters more of them for `wrangler deploy`
 */
export async function bundleWorker(folder: string, source: string, parameters: readonly string[]): Promise<void> {
  await wrangler(...["deploy", source, "--dry-run", "--bundle", "--minify", "--outdir", folder], ...parameters);
  const name = source.replace(/^.*\//, "").replace(/\.[jt]s$/, ".js");
  const path = join(folder, name);
  const [bundled, map] = await Promise.all([readFile(path, "utf8"), readFile(`${path}.map`, "utf8")]);
  const shortened = await minify(name, bundled, { module: true, compress: false, mangle: true, sourcemap: true });
  if (shortened.errors.length > 0) throw new Error(`${name}: ${shortened.errors[0]?.message}`);
  const fromSources = remapping([JSON.parse(JSON.stringify(shortened.map)), JSON.parse(map)], () => null);
  await writeFile(path, `${shortened.code}\n//# sourceMappingURL=${name}.map\n`);
  await writeFile(`${path}.map`, JSON.stringify(fromSources));
}
