import { diskFlushes } from "../support/disk-flushes.ts";
import type { Finding } from "../support/finding.ts";
import type { LoadGenerator } from "../support/load.ts";
import type { BenchOptions, Generation } from "../support/options.ts";
import { milliseconds } from "../support/statistics.ts";
import { type Measurement, printMeasurements, takeTurns } from "../support/turns.ts";
import { contender, type Setting } from "./setting.ts";

const ROUNDS = 4;
/** Milliseconds above the forwarder's, besides the flushes. */
const LIMIT = 1;
/** The intent of a call and what became of it are durable before its answer. */
const FLUSHES = 2;

/** What one call at a time takes longer through the gateway than through the forwarder, beside what the disk takes. */
export async function measureLatency(
  generation: Generation,
  setting: Setting,
  generator: LoadGenerator,
  { requests, warmUp, folder }: BenchOptions,
): Promise<readonly Finding[]> {
  const sent = { requests: Math.ceil(requests / 5), warmUp: Math.ceil(warmUp / 10) };
  const lane = { generation, size: "short", connections: 1, ...sent } as const;
  const ways = ["gateway", "exchanging", "forwarder"] as const;
  const contenders = ways.map((way) => contender(way, lane, setting));
  const flushesBefore = diskFlushes(folder);
  const [ours, exchanging, forwarder] = await takeTurns(generator, contenders, ROUNDS);
  const flush = 2_000 / (flushesBefore + diskFlushes(folder));
  if (ours === undefined || exchanging === undefined || forwarder === undefined) throw new Error("Three took turns.");
  console.log(`\nMCP Proxy, ${generation} generation: one connection, ${ROUNDS} rounds in turns`);
  printMeasurements([ours, exchanging, forwarder]);
  const limit = LIMIT + FLUSHES * flush;
  const finding = (what: string, { p50 }: Measurement): Finding => ({
    what: `MCP Proxy, ${generation}, one connection: ${what}, p50 above the forwarder's`,
    measured: milliseconds(p50 - forwarder.p50, 2),
    against: `${milliseconds(p50, 2)} and ${milliseconds(forwarder.p50, 2)}; a flush takes ${milliseconds(flush, 2)}`,
  });
  return [
    {
      ...finding("tools/call", ours),
      target: `≤ ${milliseconds(limit, 2)}`,
      met: ours.p50 - forwarder.p50 <= limit,
    },
    finding("with an exchange each", exchanging),
  ];
}
