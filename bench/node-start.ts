import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bundleBesideSources } from "../infra/build/node-bundle.ts";
import { freePort } from "../test/support/free-port.ts";
import { CLI } from "./support/countersign.ts";
import type { Finding } from "./support/finding.ts";
import type { BenchOptions } from "./support/options.ts";
import { startProcess } from "./support/process.ts";
import { residentMemory } from "./support/process-usage.ts";
import { mebibytes } from "./support/sizes.ts";
import { median, milliseconds } from "./support/statistics.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const EXAMPLE = fileURLToPath(new URL("../examples/quickstart/countersign.yaml", import.meta.url));
/** Until memory is read: what starting needed has been collected by then. Milliseconds. */
const IDLE = 3_000;
const START_LIMIT = 500;
const MEMORY_LIMIT = 120 * 1024 * 1024;

interface Starts {
  /** Milliseconds of each start, from the start of the process to its first health answer. */
  readonly times: readonly number[];
  /** Resident bytes of each, idle. */
  readonly memory: readonly number[];
}

/**
 * The quickstart's configuration, authorization server, gateway and management API: process start to health, and what it
 * holds idle. The bundle, as it runs in production; beside it the sources, in turns.
 */
export async function benchNodeStart({ folder, runs }: BenchOptions): Promise<readonly Finding[]> {
  const bundle = join(ROOT, await bundleBesideSources(), "countersign.js");
  const entries = { bundle, sources: CLI };
  const measured = { bundle: emptyStarts(), sources: emptyStarts() };
  // The first start of each fills its cache of compiled code.
  for (let run = 0; run <= runs; run++) {
    for (const name of ["bundle", "sources"] as const) {
      const { time, memory } = await startOnce(entries[name], join(folder, `start-${name}-${run}`));
      if (run === 0) continue;
      measured[name].times.push(time);
      measured[name].memory.push(memory);
    }
  }
  return findings(measured.bundle, measured.sources, runs);
}

function findings(bundle: Starts, sources: Starts, runs: number): readonly Finding[] {
  const [start, idle] = [median(bundle.times), median(bundle.memory)];
  const [shortest, longest] = [Math.min(...bundle.times), Math.max(...bundle.times)];
  return [
    {
      what: "First health answer of the server on Node",
      measured: milliseconds(start, 0),
      against: `${milliseconds(shortest, 0)} to ${milliseconds(longest, 0)} in ${runs} starts; the sources: ${milliseconds(median(sources.times), 0)}`,
      target: `≤ ${milliseconds(START_LIMIT, 0)}`,
      met: start <= START_LIMIT,
    },
    {
      what: "Memory of the idle server on Node",
      measured: mebibytes(idle),
      against: `${mebibytes(Math.min(...bundle.memory))} to ${mebibytes(Math.max(...bundle.memory))}; the sources: ${mebibytes(median(sources.memory))}`,
      target: `≤ ${mebibytes(MEMORY_LIMIT)}`,
      met: idle <= MEMORY_LIMIT,
    },
  ];
}

async function startOnce(entry: string, folder: string): Promise<{ readonly time: number; readonly memory: number }> {
  const { file, url } = await writeExample(folder);
  const server = await startProcess(process.execPath, [entry, "-config", file], `${url}/status`);
  await passed(IDLE);
  const memory = residentMemory(server.pid);
  await server.stop();
  return { time: server.startedIn, memory };
}

function emptyStarts(): { readonly times: number[]; readonly memory: number[] } {
  return { times: [], memory: [] };
}

/** The example on a free port, with a store of its own, and without its connector and what needs it: nothing waits for somebody else's answer. */
async function writeExample(folder: string): Promise<{ readonly file: string; readonly url: string }> {
  const port = await freePort();
  mkdirSync(folder);
  const text = readFileSync(EXAMPLE, "utf8")
    .replaceAll("localhost:8080", `localhost:${port}`)
    .replace(/^connectors:\n(?: .*\n)+/m, "")
    .replace(/^ {2}- name: library-desk\n(?: {4}.*\n)+/m, "")
    .replace("path: ./data/quickstart", `path: ${join(folder, "store")}`)
    .replace("uri: file://", `uri: file://${dirname(EXAMPLE)}/`);
  const file = join(folder, "countersign.yaml");
  writeFileSync(file, text);
  return { file, url: `http://localhost:${port}` };
}
