import type { Finding } from "../support/finding.ts";
import type { LoadGenerator } from "../support/load.ts";
import type { BenchOptions } from "../support/options.ts";
import { times, whole } from "../support/statistics.ts";
import { type Measurement, printMeasurements, takeTurns } from "../support/turns.ts";
import type { Generation } from "./calls.ts";
import { contender, type Setting } from "./setting.ts";

const ROUNDS = 4;
const MINIMUM_RATIO = 0.5;

/** Calls a second through the gateway, beside the forwarder's of the same run. */
export async function measureThroughput(
  generation: Generation,
  setting: Setting,
  generator: LoadGenerator,
  { requests, warmUp, connections }: BenchOptions,
): Promise<readonly Finding[]> {
  const lane = { generation, connections, requests, warmUp };
  const ways = ["gateway", "exchanging", "forwarder"] as const;
  const contenders = ways.map((way) => contender(way, lane, setting));
  const [ours, exchanging, forwarder] = await takeTurns(generator, contenders, ROUNDS);
  if (ours === undefined || exchanging === undefined || forwarder === undefined) throw new Error("Three took turns.");
  console.log(`\nMCP Proxy, ${generation} generation: ${connections} connections, ${ROUNDS} rounds in turns`);
  printMeasurements([ours, exchanging, forwarder]);
  const finding = (what: string, { rate }: Measurement, minimum?: number): Finding => ({
    what: `MCP Proxy, ${generation}, ${connections} connections: ${what}`,
    measured: `${whole(rate)}/s`,
    against: `${forwarder.name}: ${whole(forwarder.rate)}/s`,
    ratio: times(rate / forwarder.rate),
    ...(minimum !== undefined && { target: `≥ ${times(minimum)}`, met: rate / forwarder.rate >= minimum }),
  });
  return [finding("tools/call", ours, MINIMUM_RATIO), finding("with an exchange each", exchanging)];
}
