import type { Finding } from "./finding.ts";
import type { Load, LoadGenerator } from "./load.ts";
import { cpuTime, writtenBytes } from "./process-usage.ts";
import { kibibytes } from "./sizes.ts";
import { milliseconds, percentile, times, whole } from "./statistics.ts";
import { printTable } from "./table.ts";

/** What is measured in turns with others: requests to one server. */
export interface Contender {
  readonly name: string;
  readonly pid: number;
  readonly warmUp: readonly Buffer[];
  /** Measured, its requests split over the rounds. */
  readonly load: Load;
}

export interface Measurement {
  readonly name: string;
  readonly requests: number;
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU a request: the server's, and beside it what the load generator took. */
  readonly serverCpu: number;
  readonly loadCpu: number;
  /** Bytes a request that the server had written to disk. */
  readonly written: number;
  readonly kept: readonly string[];
}

interface Round {
  readonly latencies: Float64Array;
  readonly elapsed: number;
  readonly serverCpu: number;
  readonly ownCpu: number;
  readonly written: number;
  readonly kept: readonly string[];
}

/**
 * Warms every contender up, then lets them take turns, so that all meet the same machine. Who begins changes from round to
 * round. The measurements come in the contenders' order.
 */
export async function takeTurns(
  generator: LoadGenerator,
  contenders: readonly Contender[],
  rounds: number,
): Promise<readonly Measurement[]> {
  for (const contender of contenders) await generator.run({ ...contender.load, requests: contender.warmUp });
  const results = contenders.map((contender) => ({ contender, rounds: [] as Round[] }));
  for (let round = 0; round < rounds; round++) {
    for (const { contender, rounds: measured } of round % 2 === 0 ? results : results.toReversed()) {
      const { load, pid } = contender;
      const size = Math.ceil(load.requests.length / rounds);
      const requests = load.requests.slice(round * size, (round + 1) * size);
      measured.push(await measure(generator, { ...load, requests }, pid));
    }
  }
  return results.map(({ contender, rounds: measured }) => summarize(contender.name, measured));
}

async function measure(generator: LoadGenerator, load: Load, pid: number): Promise<Round> {
  const cpuBefore = cpuTime(pid);
  const writtenBefore = writtenBytes(pid);
  const result = await generator.run(load);
  return { ...result, serverCpu: cpuTime(pid) - cpuBefore, written: writtenBytes(pid) - writtenBefore };
}

function summarize(name: string, rounds: readonly Round[]): Measurement {
  const latencies = Float64Array.from(rounds.flatMap((round) => [...round.latencies]));
  const requests = latencies.length;
  const total = (value: (round: Round) => number) => rounds.reduce((sum, round) => sum + value(round), 0);
  return {
    name,
    requests,
    rate: requests / (total((round) => round.elapsed) / 1000),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    serverCpu: total((round) => round.serverCpu) / requests,
    loadCpu: total((round) => round.ownCpu) / requests,
    written: total((round) => round.written) / requests,
    kept: rounds.flatMap((round) => round.kept),
  };
}

/** CPU and disk a request. */
export function printMeasurements(measurements: readonly Measurement[]): void {
  printTable(
    ["", "requests", "requests/s", "p50", "p99", "server CPU", "load CPU", "to disk"],
    measurements.map(({ name, requests, rate, p50, p99, serverCpu, loadCpu, written }) => [
      name,
      whole(requests),
      whole(rate),
      milliseconds(p50),
      milliseconds(p99),
      `${whole(serverCpu)} µs`,
      `${whole(loadCpu)} µs`,
      kibibytes(written),
    ]),
  );
}

/** CPU of one beside another's of the same run, a thousand requests each. */
export function cpuFinding(what: string, ours: Measurement, peer: Measurement, maximum?: number): Finding {
  const ratio = ours.serverCpu / peer.serverCpu;
  return {
    what,
    measured: cpuOfThousand(ours),
    against: `${peer.name}: ${cpuOfThousand(peer)}`,
    ratio: times(ratio),
    ...(maximum !== undefined && { target: `≤ ${times(maximum)}`, met: ratio <= maximum }),
  };
}

/** Microseconds of one are milliseconds of a thousand. */
function cpuOfThousand({ serverCpu }: Measurement): string {
  return `${(serverCpu / 1_000).toFixed(2)} s`;
}
