import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleBesideSources } from "./node-bundle.ts";

/** `npm run build:node`: bundles the server and the commands for Node into `dist/node/`, and prints what that weighs. */
async function buildNode(): Promise<void> {
  const bundle = await bundleBesideSources();
  const folder = fileURLToPath(new URL(`../../${bundle}`, import.meta.url));
  const files = (await readdir(folder)).filter((name) => name.endsWith(".js"));
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  console.log(`${bundle}/countersign.js  ${files.length} files, ${(bytes / 1024).toFixed(1)} KiB`);
}

await buildNode();
