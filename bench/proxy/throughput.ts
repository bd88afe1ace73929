import type { Finding } from "../support/finding.ts";
import type { LoadGenerator } from "../support/load.ts";
import type { BenchOptions, Generation } from "../support/options.ts";
import { times, whole } from "../support/statistics.ts";
import { cpuFinding, type Measurement, printMeasurements, takeTurns } from "../support/turns.ts";
import { contender, type Lane, type Setting } from "./setting.ts";

const ROUNDS = 4;
const MINIMUM_RATIO = 0.5;
/** How much more CPU than the limit a call may take. */
const MAXIMUM_CPU = 1.7;

const SIZES: Readonly<Record<Lane["size"], string>> = { short: "200 B", long: "10 KB" };

/** Calls a second through the gateway, beside the forwarder's of the same run. */
export async function measureThroughput(
  { generation, size }: { readonly generation: Generation; readonly size: Lane["size"] },
  setting: Setting,
  generator: LoadGenerator,
  { requests, warmUp, connections }: BenchOptions,
): Promise<readonly Finding[]> {
  const lane = { generation, size, connections, requests, warmUp };
  const what = `${generation}, ${SIZES[size]}`;
  const optional = setting.agentgateway === undefined ? [] : (["agentgateway"] as const);
  const ways = ["gateway", "exchanging", "forwarder", "limit", ...optional] as const;
  const contenders = ways.map((way) => contender(way, lane, setting));
  const measured = await takeTurns(generator, contenders, ROUNDS);
  const [ours, exchanging, forwarder, limit, agentgateway] = measured as MeasuredWays;
  console.log(`\nMCP Proxy, ${what}: ${connections} connections, ${ROUNDS} rounds in turns`);
  printMeasurements(measured);
  const finding = (call: string, { rate }: Measurement, minimum?: number): Finding => ({
    what: `MCP Proxy, ${what}, ${connections} connections: ${call}`,
    measured: `${whole(rate)}/s`,
    against: `${forwarder.name}: ${whole(forwarder.rate)}/s`,
    ratio: times(rate / forwarder.rate),
    ...(minimum !== undefined && { target: `≥ ${times(minimum)}`, met: rate / forwarder.rate >= minimum }),
  });
  return [
    finding("tools/call", ours, MINIMUM_RATIO),
    finding("with an exchange each", exchanging),
    cpuFinding(`MCP Proxy, ${what}: CPU of 1,000 calls`, ours, limit, MAXIMUM_CPU),
    ...(agentgateway === undefined ? [] : [cpuFinding(`MCP Proxy, ${what}: the same`, ours, agentgateway, 1)]),
  ];
}

type MeasuredWays = readonly [
  ours: Measurement,
  exchanging: Measurement,
  forwarder: Measurement,
  limit: Measurement,
  agentgateway?: Measurement,
];
