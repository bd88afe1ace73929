import { type Candidate, startBare, startCountersign, startPeer } from "./support/candidates.ts";
import type { Finding } from "./support/finding.ts";
import { startHydra } from "./support/hydra.ts";
import { type LoadGenerator, startLoadGenerator } from "./support/load.ts";
import type { BenchOptions } from "./support/options.ts";
import { milliseconds, times, whole } from "./support/statistics.ts";
import { type Contender, cpuFinding, type Measurement, printMeasurements, takeTurns } from "./support/turns.ts";

const ROUNDS = 4;
const MINIMUM_RATIO = 1.3;

/** Token requests a second and their p99, beside oidc-provider and the least that a durable server can be in the same run. */
export async function benchTokenEndpoint(options: BenchOptions): Promise<readonly Finding[]> {
  const { warmUp, connections, folder } = options;
  const generator = await startLoadGenerator(folder);
  const candidates: Candidate[] = [];
  try {
    candidates.push(await startCountersign(folder), await startPeer(), await startBare(folder));
    const hydra = await startHydra(folder);
    if (hydra !== undefined) candidates.push(hydra);
    for (const candidate of candidates) await refuseLessWork(candidate, generator);
    const contenders = candidates.map((candidate) => contender(candidate, options));
    const measurements = await takeTurns(generator, contenders, ROUNDS);
    console.log(`\nToken endpoint: ${connections} connections, ${ROUNDS} rounds in turns, ${whole(warmUp)} to warm up`);
    console.log(
      `  All: Node ${process.version}, one process, NODE_ENV=production, no access log; private_key_jwt (ES256),`,
    );
    console.log(
      "  each jti accepted once, opaque tokens. Countersign: SQLite on disk, synchronous=FULL, audit record in it.",
    );
    printMeasurements(measurements);
    for (const { name, kept } of measurements) refuseRepeated(name, kept);
    return summarize(measurements);
  } finally {
    for (const candidate of candidates) await candidate.stop();
    await generator.stop();
  }
}

function contender(candidate: Candidate, { requests, warmUp, connections }: BenchOptions): Contender {
  const { name, pid, target } = candidate;
  const measured = candidate.tokenRequests(requests);
  const load = { target, requests: measured, connections, expect: '"access_token"', keep: "access_token" };
  return { name, pid, warmUp: candidate.tokenRequests(warmUp), load };
}

/** Whoever gives a second token for an assertion does less work than the other. */
async function refuseLessWork({ name, target, tokenRequests }: Candidate, generator: LoadGenerator): Promise<void> {
  const load = { target, requests: tokenRequests(1), connections: 1, expect: '"access_token"' };
  await generator.run(load);
  const second = await generator.run(load).then(
    () => "a second token",
    (error: Error) => error.message,
  );
  if (!/answered 40[01]: /.test(second)) throw new Error(`${name} answered an assertion's second use with: ${second}`);
}

/** So does who gives one token twice. */
function refuseRepeated(name: string, tokens: readonly string[]): void {
  if (new Set(tokens).size !== tokens.length) throw new Error(`${name} gave a token twice.`);
}

function summarize([ours, peer, bare, hydra]: readonly Measurement[]): readonly Finding[] {
  if (ours === undefined || peer === undefined || bare === undefined)
    throw new Error("Three candidates were measured.");
  return [
    {
      what: "Token requests on Node",
      measured: `${whole(ours.rate)}/s`,
      against: `${peer.name}: ${whole(peer.rate)}/s`,
      ratio: times(ours.rate / peer.rate),
      target: `≥ ${times(MINIMUM_RATIO)}`,
      met: ours.rate / peer.rate >= MINIMUM_RATIO,
    },
    {
      what: "Their p99",
      measured: milliseconds(ours.p99),
      against: `${peer.name}: ${milliseconds(peer.p99)}`,
      ratio: times(ours.p99 / peer.p99),
      target: `≤ ${times(1)}`,
      met: ours.p99 <= peer.p99,
    },
    {
      what: "Their CPU in the server",
      measured: `${whole(ours.serverCpu)} µs`,
      against: `${peer.name}: ${whole(peer.serverCpu)} µs`,
      ratio: times(ours.serverCpu / peer.serverCpu),
    },
    {
      what: "About the least that durable tokens take",
      measured: `${whole(bare.rate)}/s`,
      against: `${peer.name}: ${whole(peer.rate)}/s`,
      ratio: times(bare.rate / peer.rate),
    },
    ...(hydra === undefined ? [] : [cpuFinding("CPU of 1,000 tokens", ours, hydra, 1)]),
  ];
}
