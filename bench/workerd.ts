import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { startBareWorkerd } from "../test/infra-cloudflare/support/bare-workerd.ts";
import { build, EDGE_VARIABLES } from "./support/edge.ts";
import { freePort } from "./support/process.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BUNDLE = `${ROOT}dist/worker/us/worker.js`;
const RUNS = 9;

/** Bare workerd, without wrangler's proxies, serving the Worker of `us` exactly as it would be deployed. */
async function benchWorkerd(): Promise<void> {
  for (const script of ["configuration.ts", "worker.ts"]) build(script);
  const compressed = await promisify(gzip)(await readFile(BUNDLE));
  const starts: number[] = [];
  for (let run = 0; run < RUNS; run++) starts.push(await timeStart());
  starts.sort((a, b) => a - b);
  console.log(`Worker bundle: ${(compressed.length / 1024).toFixed(1)} KiB gzip`);
  console.log(
    `workerd, process start to first health answer: median ${milliseconds(starts[Math.floor(RUNS / 2)])}, ` +
      `fastest ${milliseconds(starts[0])}, slowest ${milliseconds(starts.at(-1))} (${RUNS} runs)`,
  );
}

/** Milliseconds from spawning the process to the first answer of the health endpoint, which must be 200. */
async function timeStart(): Promise<number> {
  const port = await freePort();
  const workerd = await startBareWorkerd({ port, bundle: BUNDLE, variables: EDGE_VARIABLES });
  const { startedIn } = workerd;
  try {
    const { status } = await fetch(`http://127.0.0.1:${port}/status`);
    if (status !== 200) throw new Error(`The health endpoint answered ${status}.`);
    return startedIn;
  } finally {
    await workerd.stop();
  }
}

function milliseconds(value: number | undefined): string {
  return `${Math.round(value ?? Number.NaN)} ms`;
}

await benchWorkerd();
