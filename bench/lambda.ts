import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { build, EDGE_VARIABLES } from "./support/edge.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BUNDLE = `${ROOT}dist/lambda/us/handler.mjs`;
const RUNS = 9;

const VARIABLES = {
  ...EDGE_VARIABLES,
  AWS_REGION: "us-east-2",
  AWS_ACCESS_KEY_ID: "benchmark",
  AWS_SECRET_ACCESS_KEY: "benchmark",
  RECORDS_TABLE: "records",
  SESSIONS_TABLE: "sessions",
  AUDIT_TABLE: "audit",
  ORIGIN_SECRET: "origin-secret-of-the-benchmark",
};

/**
 * What Lambda's init phase runs of ours: importing the bundle until it exports a handler that is ready to serve, with
 * the configuration resolved. Node's own start is not in it, as Lambda's runtime has started it before.
 */
async function benchLambda(): Promise<void> {
  for (const script of ["configuration.ts", "lambda.ts"]) build(script);
  const compressed = await promisify(gzip)(await readFile(BUNDLE));
  const starts = Array.from({ length: RUNS }, timeInit).sort((a, b) => a - b);
  console.log(`Lambda bundle: ${(compressed.length / 1024).toFixed(1)} KiB gzip`);
  console.log(
    `Lambda, import of the bundle to ready handler: median ${milliseconds(starts[Math.floor(RUNS / 2)])}, ` +
      `fastest ${milliseconds(starts[0])}, slowest ${milliseconds(starts.at(-1))} (${RUNS} fresh processes)`,
  );
}

/** Prints the milliseconds, unless the handler could only answer 503: then the log line that says why comes first. */
const INIT = `
globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: { from: (stream) => stream } };
const startedAt = performance.now();
await import(process.env.BUNDLE);
console.log(performance.now() - startedAt);
`;

function timeInit(): number {
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", INIT], {
    encoding: "utf8",
    env: { ...VARIABLES, BUNDLE },
  });
  const time = Number(stdout);
  if (stdout === "" || Number.isNaN(time)) throw new Error(`the function did not start: ${stdout}${stderr}`);
  return time;
}

function milliseconds(time: number | undefined): string {
  return `${(time ?? Number.NaN).toFixed(0)} ms`;
}

await benchLambda();
