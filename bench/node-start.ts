import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../test/support/free-port.ts";
import { startServer } from "./support/countersign.ts";
import type { Finding } from "./support/finding.ts";
import type { BenchOptions } from "./support/options.ts";
import { residentMemory } from "./support/process-usage.ts";
import { mebibytes } from "./support/sizes.ts";
import { median, milliseconds } from "./support/statistics.ts";

const EXAMPLE = fileURLToPath(new URL("../examples/quickstart/countersign.yaml", import.meta.url));
/** Until memory is read: what starting needed has been collected by then. Milliseconds. */
const IDLE = 3_000;
const START_LIMIT = 1_200;
const MEMORY_LIMIT = 130 * 1024 * 1024;

/** The quickstart's configuration, authorization server, gateway and management API: process start to health, and what it holds idle. */
export async function benchNodeStart({ folder, runs }: BenchOptions): Promise<readonly Finding[]> {
  const starts: number[] = [];
  const memory: number[] = [];
  for (let run = 0; run < runs; run++) {
    const { file, url } = await writeExample(join(folder, `start-${run}`));
    const server = await startServer(file, url);
    starts.push(server.startedIn);
    await passed(IDLE);
    memory.push(residentMemory(server.pid));
    await server.stop();
  }
  const [start, idle] = [median(starts), median(memory)];
  return [
    {
      what: "First health answer of the server on Node",
      measured: milliseconds(start, 0),
      against: `${milliseconds(Math.min(...starts), 0)} to ${milliseconds(Math.max(...starts), 0)} in ${runs} starts`,
      target: `≤ ${milliseconds(START_LIMIT, 0)}`,
      met: start <= START_LIMIT,
    },
    {
      what: "Memory of the idle server on Node",
      measured: mebibytes(idle),
      against: `${mebibytes(Math.min(...memory))} to ${mebibytes(Math.max(...memory))}`,
      target: `≤ ${mebibytes(MEMORY_LIMIT)}`,
      met: idle <= MEMORY_LIMIT,
    },
  ];
}

/** The example on a free port and with a store of its own. */
async function writeExample(folder: string): Promise<{ readonly file: string; readonly url: string }> {
  const port = await freePort();
  mkdirSync(folder);
  const text = readFileSync(EXAMPLE, "utf8")
    .replaceAll("localhost:8080", `localhost:${port}`)
    .replace("path: ./data/quickstart", `path: ${join(folder, "store")}`)
    .replace("uri: file://", `uri: file://${dirname(EXAMPLE)}/`);
  const file = join(folder, "countersign.yaml");
  writeFileSync(file, text);
  return { file, url: `http://localhost:${port}` };
}
