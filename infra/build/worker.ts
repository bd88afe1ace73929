import { readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { givenConsoleFolder } from "../node/console/folder.ts";
import { ensureConsole } from "./console/ensure.ts";
import { bundleWorker, WORKER_SOURCE } from "./worker-bundle.ts";
import { writeWorkerPackages } from "./worker-packages.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Builds both regions' Workers, which `wrangler deploy` sends, into `dist/worker/<region>/`, and prints their sizes. */
async function buildWorkers(): Promise<void> {
  await ensureConsole(console.log);
  await writeWorkerPackages();
  const given = givenConsoleFolder(process.env);
  const assets = given === undefined ? [] : ["--assets", given];
  for (const region of ["us", "uk"]) {
    const folder = `dist/worker/${region}`;
    // Whatever else lies there would be sent along.
    await rm(`${ROOT}${folder}`, { recursive: true, force: true });
    await bundleWorker(`${ROOT}${folder}`, WORKER_SOURCE, ["--env", region, ...assets]);
    const bundle = await readFile(`${ROOT}${folder}/worker.js`);
    const compressed = await promisify(gzip)(bundle);
    console.log(`${folder}/worker.js  ${kibibytes(bundle.length)}, gzip ${kibibytes(compressed.length)}`);
  }
}

function kibibytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

await buildWorkers();
