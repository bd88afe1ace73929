import type { Finding } from "./support/finding.ts";
import { startLoadGenerator } from "./support/load.ts";
import { type ManyClients, startWithManyClients } from "./support/many-clients.ts";
import { type MemorySamples, sampleMemory } from "./support/memory-samples.ts";
import type { BenchOptions } from "./support/options.ts";
import { mebibytes } from "./support/sizes.ts";
import { times, whole } from "./support/statistics.ts";
import { printTable } from "./support/table.ts";
import { type Contender, type Measurement, printMeasurements, takeTurns } from "./support/turns.ts";

const ROUNDS = 4;
const FEW = 1_000;
/** Times the usual warm-up, by the same law as what is measured: the caches of both servers hold what they will hold. */
const WARM_UPS = 3;
const MINIMUM_RATIO = 0.9;
/** Growth of memory in the second half of the run that still counts as flat. */
const MAXIMUM_GROWTH = 1.1;

/** Token requests of many API clients, spread by Zipf's law, beside those of a thousand. Both servers are ours. */
export async function benchZipf({ clients, folder, ...options }: BenchOptions): Promise<readonly Finding[]> {
  const { requests, connections } = options;
  const warmUp = WARM_UPS * options.warmUp;
  const generator = await startLoadGenerator(folder);
  const servers: ManyClients[] = [];
  try {
    const contenders: Contender[] = [];
    console.log(`\nMany API clients: ${connections} connections, ${ROUNDS} rounds in turns`);
    console.log(`  Steady state: each server is warmed up with ${whole(warmUp)} requests by the same law.`);
    for (const count of [FEW, clients]) {
      const server = await startWithManyClients(folder, count);
      servers.push(server);
      const warming = server.requests(warmUp);
      const measured = server.requests(requests);
      console.log(
        `  ${whole(count)} clients, ${mebibytes(server.databaseSize)} on disk; ` +
          `${whole(requests)} requests of ${whole(measured.distinct)} of them`,
      );
      contenders.push({
        name: `${whole(count)} clients`,
        pid: server.pid,
        warmUp: warming.requests,
        load: { target: server.target, requests: measured.requests, connections, expect: '"access_token"' },
      });
    }
    const samplers = servers.map(({ pid }) => sampleMemory(pid));
    const measurements = await takeTurns(generator, contenders, ROUNDS);
    const memory = samplers.map((sampler) => sampler.stop());
    printMeasurements(measurements);
    printMemory(measurements, memory);
    return summarize(measurements, memory);
  } finally {
    for (const server of servers) await server.stop();
    await generator.stop();
  }
}

function printMemory(measurements: readonly Measurement[], memory: readonly MemorySamples[]): void {
  printTable(
    ["resident memory", "start", "half-way", "end", "most"],
    memory.map(({ start, half, end, max }, i) => [
      measurements[i]?.name ?? "",
      ...[start, half, end, max].map((bytes) => mebibytes(bytes)),
    ]),
  );
}

function summarize(measurements: readonly Measurement[], memory: readonly MemorySamples[]): readonly Finding[] {
  const [few, many] = measurements;
  const [memoryOfFew, memoryOfMany] = memory;
  if (few === undefined || many === undefined || memoryOfFew === undefined || memoryOfMany === undefined) {
    throw new Error("Two servers were measured.");
  }
  const growth = memoryOfMany.end / memoryOfMany.half;
  return [
    {
      what: `Token requests, ${many.name}`,
      measured: `${whole(many.rate)}/s`,
      against: `${few.name}: ${whole(few.rate)}/s`,
      ratio: times(many.rate / few.rate),
      target: `≥ ${times(MINIMUM_RATIO)}`,
      met: many.rate / few.rate >= MINIMUM_RATIO,
    },
    {
      what: "Their CPU in the server",
      measured: `${whole(many.serverCpu)} µs`,
      against: `${few.name}: ${whole(few.serverCpu)} µs`,
      ratio: times(many.serverCpu / few.serverCpu),
    },
    {
      what: "Its memory at the end",
      measured: mebibytes(memoryOfMany.end),
      against: `half-way: ${mebibytes(memoryOfMany.half)}; ${few.name}: ${mebibytes(memoryOfFew.end)}`,
      ratio: times(growth),
      target: `≤ ${times(MAXIMUM_GROWTH)}`,
      met: growth <= MAXIMUM_GROWTH,
    },
  ];
}
