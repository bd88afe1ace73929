import { tokenRequests } from "./support/assertions.ts";
import { type Candidate, startCountersign, startPeer } from "./support/candidates.ts";
import { type LoadResult, percentile, runLoad } from "./support/load.ts";

export interface TokenEndpointOptions {
  /** Measured requests a candidate, split over the rounds. */
  readonly requests: number;
  readonly connections: number;
}

const ROUNDS = 4;
const WARM_UP = 500;

/** Token requests a second and their p99, beside oidc-provider in the same run. The two take turns, so that both meet the same machine. */
export async function benchTokenEndpoint(options: TokenEndpointOptions): Promise<void> {
  const candidates: Candidate[] = [];
  try {
    candidates.push(await startCountersign(), await startPeer());
    for (const candidate of candidates) await measure(candidate, WARM_UP, options.connections);
    const results = new Map<Candidate, LoadResult[]>(candidates.map((candidate) => [candidate, []]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [candidate, rounds] of results) {
        rounds.push(await measure(candidate, Math.ceil(options.requests / ROUNDS), options.connections));
      }
    }
    report(results, options);
  } finally {
    for (const candidate of candidates) await candidate.stop();
  }
}

function measure({ source, tokenEndpoint }: Candidate, requests: number, connections: number): Promise<LoadResult> {
  return runLoad({ url: tokenEndpoint, bodies: tokenRequests(source, requests), connections });
}

function report(
  results: ReadonlyMap<Candidate, readonly LoadResult[]>,
  { requests, connections }: TokenEndpointOptions,
) {
  console.log(`Token endpoint: ${requests} requests each over ${connections} connections, ${ROUNDS} rounds in turns.`);
  const rates = [...results].map(([candidate, rounds]) => {
    const latencies = rounds.flatMap((round) => round.latencies);
    const seconds = rounds.reduce((sum, round) => sum + round.elapsed, 0) / 1000;
    const rate = latencies.length / seconds;
    const p99 = percentile(latencies, 0.99);
    console.log(
      `  ${candidate.name.padEnd(32)} ${rate.toFixed(0).padStart(6)} requests/s   p50 ${ms(latencies, 0.5)}   p99 ${ms(latencies, 0.99)}`,
    );
    return { rate, p99 };
  });
  const [ours, peer] = rates;
  if (ours === undefined || peer === undefined) return;
  console.log(
    `  ratio: ${(ours.rate / peer.rate).toFixed(2)} × its requests/s, ${(ours.p99 / peer.p99).toFixed(2)} × its p99`,
  );
}

function ms(latencies: readonly number[], share: number): string {
  return `${percentile(latencies, share).toFixed(1)} ms`.padStart(8);
}
