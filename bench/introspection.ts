import { type Candidate, startBare, startCountersign, startPeer } from "./support/candidates.ts";
import type { Finding } from "./support/finding.ts";
import { startHydra } from "./support/hydra.ts";
import { type LoadGenerator, startLoadGenerator } from "./support/load.ts";
import type { BenchOptions } from "./support/options.ts";
import { times, whole } from "./support/statistics.ts";
import { type Contender, cpuFinding, printMeasurements, takeTurns } from "./support/turns.ts";

const ROUNDS = 4;
const MINIMUM_RATIO = 3;

/** Introspection of active tokens by a `client_secret_basic` caller, beside the peer's token rate of the same run. */
export async function benchIntrospection(options: BenchOptions): Promise<readonly Finding[]> {
  const generator = await startLoadGenerator(options.folder);
  const candidates: Candidate[] = [];
  try {
    const ours = await startCountersign(options.folder);
    candidates.push(ours);
    const peer = await startPeer();
    candidates.push(peer);
    const bare = await startBare(options.folder);
    candidates.push(bare);
    const hydra = await startHydra(options.folder);
    if (hydra !== undefined) candidates.push(hydra);
    const contenders = [
      await introspecting(ours, generator, options),
      tokens(peer, options),
      await introspecting(peer, generator, options),
      await introspecting(bare, generator, options),
      ...(hydra === undefined ? [] : [await introspecting(hydra, generator, options)]),
    ];
    const measurements = await takeTurns(generator, contenders, ROUNDS);
    const { connections, warmUp } = options;
    console.log(`\nIntrospection: ${connections} connections, ${ROUNDS} rounds in turns, ${whole(warmUp)} to warm up`);
    printMeasurements(measurements);
    const [measured, , , , measuredHydra] = measurements;
    const [introspection, peerTokens, peerIntrospection, bareIntrospection] = measurements.map(({ rate }) => rate) as [
      number,
      number,
      number,
      number,
    ];
    return [
      {
        what: "Introspections on Node",
        measured: `${whole(introspection)}/s`,
        against: `${peer.name}, tokens: ${whole(peerTokens)}/s`,
        ratio: times(introspection / peerTokens),
        target: `≥ ${times(MINIMUM_RATIO)}`,
        met: introspection / peerTokens >= MINIMUM_RATIO,
      },
      {
        what: "The same",
        measured: `${whole(introspection)}/s`,
        against: `${peer.name}, introspections: ${whole(peerIntrospection)}/s`,
        ratio: times(introspection / peerIntrospection),
      },
      {
        what: "About the least that introspections take",
        measured: `${whole(bareIntrospection)}/s`,
        against: `${peer.name}, tokens: ${whole(peerTokens)}/s`,
        ratio: times(bareIntrospection / peerTokens),
      },
      ...(measured === undefined || measuredHydra === undefined
        ? []
        : [cpuFinding("CPU of 1,000 introspections", measured, measuredHydra, 1)]),
    ];
  } finally {
    for (const candidate of candidates) await candidate.stop();
    await generator.stop();
  }
}

/** Asks for a token first for each introspection, so that every one is of a token of its own. */
async function introspecting(
  candidate: Candidate,
  generator: LoadGenerator,
  { requests, warmUp, connections }: BenchOptions,
): Promise<Contender> {
  const { name, pid, target, introspection = target } = candidate;
  const issue = { target, connections, expect: '"access_token"', keep: "access_token" };
  const { kept } = await generator.run({ ...issue, requests: candidate.tokenRequests(warmUp + requests) });
  const introspections = candidate.introspectionRequests(kept);
  return {
    name: `${name}: introspections`,
    pid,
    warmUp: introspections.slice(0, warmUp),
    load: { target: introspection, connections, requests: introspections.slice(warmUp), expect: '"active":true' },
  };
}

function tokens(candidate: Candidate, { requests, warmUp, connections }: BenchOptions): Contender {
  const { name, pid, target } = candidate;
  return {
    name: `${name}: tokens`,
    pid,
    warmUp: candidate.tokenRequests(warmUp),
    load: { target, connections, requests: candidate.tokenRequests(requests), expect: '"access_token"' },
  };
}
