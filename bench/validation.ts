import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { loadConfiguration } from "../infra/node/load-configuration.ts";
import { checkAhead } from "../lib/config/resolve.ts";
import { CLI } from "./support/countersign.ts";
import type { Finding } from "./support/finding.ts";
import { largeConfiguration } from "./support/large-configuration.ts";
import type { BenchOptions } from "./support/options.ts";
import { median, milliseconds, times, whole } from "./support/statistics.ts";

const OPENAPI = new URL("../examples/quickstart/openapi.yaml", import.meta.url);
/** Fewer where starts are measured less often. */
const RUNS = 15;
const LEAST_LINES = 2_000;
const LIMIT = 300;

/**
 * A configuration of more than two thousand lines, from its file to all that can be said about it: `countersign validate`
 * without and with the start of its process, beside what the YAML parser alone takes for the text.
 */
export async function benchValidation({ folder, runs }: BenchOptions): Promise<readonly Finding[]> {
  const file = writeConfiguration(join(folder, "validation"));
  const text = readFileSync(file, "utf8");
  const lines = text.split("\n").length;
  if (lines < LEAST_LINES) throw new Error(`the configuration has ${lines} lines and not ${LEAST_LINES}`);

  const [checks, parses, processes]: [number[], number[], number[]] = [[], [], []];
  const count = Math.min(RUNS, 2 * runs);
  for (let run = 0; run < count; run++) {
    checks.push(await timed(async () => void (await checkAhead(await loadConfiguration(file), "node"))));
    parses.push(await timed(async () => void parse(text)));
    processes.push(await timed(async () => validate(file)));
  }
  const [check, parsing] = [median(checks), median(parses)];
  return [
    {
      what: `Validation of a configuration of ${whole(lines)} lines`,
      measured: milliseconds(check, 0),
      against: `${milliseconds(parsing, 0)}, the YAML parser alone`,
      ratio: times(check / parsing),
      target: `≤ ${milliseconds(LIMIT, 0)}`,
      met: check <= LIMIT,
    },
    {
      what: "The same as a process",
      measured: milliseconds(median(processes), 0),
      against: `${milliseconds(Math.min(...processes), 0)} to ${milliseconds(Math.max(...processes), 0)} in ${count} processes`,
    },
  ];
}

/** The OpenAPI document of every app is JSON: what reading YAML takes is measured by the configuration itself. */
function writeConfiguration(folder: string): string {
  mkdirSync(folder);
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(parse(readFileSync(OPENAPI, "utf8"))));
  const file = join(folder, "countersign.yaml");
  writeFileSync(file, largeConfiguration("file://openapi.json"));
  return file;
}

function validate(file: string): void {
  const { status, stderr } = spawnSync(process.execPath, [CLI, "validate", "-config", file], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the configuration is not valid: ${stderr.slice(0, 1_000)}`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
