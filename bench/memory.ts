import { contender, startSetting, type Way } from "./proxy/setting.ts";
import type { Finding } from "./support/finding.ts";
import { startLoadGenerator } from "./support/load.ts";
import { sampleMemory } from "./support/memory-samples.ts";
import { type BenchOptions, flagsOfNode } from "./support/options.ts";
import { residentMemory } from "./support/process-usage.ts";
import { mebibytes } from "./support/sizes.ts";
import { times } from "./support/statistics.ts";

const LIMIT = 200 * 1024 * 1024;
/** By how much memory may grow in the second half and still be flat. */
const GROWTH = 1.02;

/** Resident memory of a gateway before calls and under them, beside the limit and the optional peer. */
export async function benchMemory(options: BenchOptions): Promise<readonly Finding[]> {
  const generator = await startLoadGenerator(options.folder);
  try {
    const setting = await startSetting(options, flagsOfNode());
    try {
      const findings: Finding[] = [];
      const ways: readonly Way[] = ["gateway", "limit", ...(setting.agentgateway ? (["agentgateway"] as const) : [])];
      for (const way of ways) {
        const { name, pid, warmUp, load } = contender(
          way,
          { generation: "session", size: "short", ...options },
          setting,
        );
        const idle = residentMemory(pid);
        await generator.run({ ...load, requests: warmUp });
        const sampled = sampleMemory(pid, 100);
        await generator.run(load);
        const { half, end, max } = sampled.stop();
        const isOurs = way === "gateway";
        findings.push({
          what: `Resident memory under calls: ${name}`,
          measured: mebibytes(max),
          against: `${mebibytes(idle)} before`,
          ...(isOurs && { target: `≤ ${mebibytes(LIMIT)}`, met: max <= LIMIT }),
        });
        findings.push({
          what: `Its growth in the second half: ${name}`,
          measured: mebibytes(end),
          against: `${mebibytes(half)} after the first`,
          ratio: times(end / half),
          ...(isOurs && { target: `≤ ${times(GROWTH)}`, met: end <= half * GROWTH }),
        });
      }
      return findings;
    } finally {
      await setting.stop();
    }
  } finally {
    await generator.stop();
  }
}
