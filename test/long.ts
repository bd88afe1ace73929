import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseFlags } from "../infra/node/flags.ts";
import { atTheEnd } from "./support/at-the-end.ts";

/**
 * Runs what is random, each program for as long as asked, one after another, with other seeds than the last time:
 *
 *     npm run test:long -- [-seconds 600] [-only NAME]
 *
 * Every program prints its seed, and how to repeat what it found. Exit code 1 when one of them found something.
 */
const ROOT = join(import.meta.dirname, "..");
const DOCUMENTS = process.env.COUNTERSIGN_OPENAPI_DOCUMENTS ?? "../shared/data/openapi";
const documents = existsSync(join(ROOT, DOCUMENTS)) ? [DOCUMENTS] : [];

/** Draws a seed each time. */
const EXPIRIES = "test/gateway/connections/expiries.slow.test.ts";

/** Parameters of Node: what takes a time by itself, and what is repeated until the time is over. */
const PROGRAMS: Readonly<Record<string, (seconds: number) => boolean>> = {
  fuzz: timed("test/fuzz/token-endpoint.ts"),
  "chaos-node": timed("test/chaos/node.ts"),
  "chaos-workerd": timed("test/chaos/workerd.ts"),
  "chaos-proxy": timed("test/chaos/proxy/run.ts"),
  soak: timed("bench/proxy/soak.ts"),
  openapi: repeated(() => ["test/openapi/run.ts", ...documents, "-seed", String(randomInt(1, 2 ** 31))]),
  connections: repeated(() => ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.slow.config.ts", EXPIRIES]),
  properties: repeated(() => ["node_modules/vitest/vitest.mjs", "run", ...propertyTests()]),
};

const { seconds, names } = readArguments(process.argv.slice(2));
const failed = names.filter((name) => !PROGRAMS[name]?.(seconds));
for (const name of failed) console.log(atTheEnd(`failed: ${name}`));
console.log(`Long: ${names.length} programs of ${seconds} s, ${failed.length} failed.`);
process.exitCode = failed.length === 0 ? 0 : 1;

function timed(program: string): (seconds: number) => boolean {
  return (duration) => run([program, "-seconds", String(duration)]).status === 0;
}

/** At least once; a failure ends it. */
function repeated(parameters: () => readonly string[]): (seconds: number) => boolean {
  return (duration) => {
    const end = Date.now() + duration * 1000;
    do {
      if (run(parameters()).status !== 0) return false;
    } while (Date.now() < end);
    return true;
  };
}

function run(parameters: readonly string[]): SpawnSyncReturns<Buffer> {
  console.log(`\n== node ${parameters.join(" ").slice(0, 200)}`);
  return spawnSync(process.execPath, parameters, { cwd: ROOT, stdio: "inherit" });
}

/** Files of `npm test` that draw their cases with fast-check, which takes another seed each time and prints that of a failure. */
function propertyTests(): readonly string[] {
  return globSync("test/**/*.test.ts", { cwd: ROOT })
    .filter((path) => !/\.(?:edge|slow)\.test\.ts$/.test(path))
    .filter((path) => readFileSync(join(ROOT, path), "utf8").includes('from "fast-check"'))
    .sort();
}

function readArguments(given: readonly string[]): { readonly seconds: number; readonly names: readonly string[] } {
  const { seconds: text = "600", only } = parseFlags(given, { seconds: "string", only: "string" });
  const duration = Number(text);
  const chosen = Object.keys(PROGRAMS).filter((name) => only === undefined || name === only);
  if (!Number.isSafeInteger(duration) || duration < 1 || chosen.length === 0) {
    throw new Error(`usage: npm run test:long -- [-seconds 600] [-only ${Object.keys(PROGRAMS).join("|")}]`);
  }
  return { seconds: duration, names: chosen };
}
