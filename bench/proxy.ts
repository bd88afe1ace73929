import { measureFirstByte } from "./proxy/first-byte.ts";
import { measureLatency } from "./proxy/latency.ts";
import { measureMemory } from "./proxy/memory.ts";
import { startSetting } from "./proxy/setting.ts";
import { measureThroughput } from "./proxy/throughput.ts";
import type { Finding } from "./support/finding.ts";
import { startLoadGenerator } from "./support/load.ts";
import { type BenchOptions, flagsOfNode } from "./support/options.ts";

const SIZES = ["short", "long"] as const;

/** Calls of an upstream MCP server's tools with everything on, beside a server that only passes them on. */
export async function benchProxy(options: BenchOptions): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const generator = await startLoadGenerator(options.folder);
  try {
    const setting = await startSetting(options, flagsOfNode());
    try {
      for (const generation of options.generations) {
        for (const size of SIZES)
          findings.push(...(await measureThroughput({ generation, size }, setting, generator, options)));
        findings.push(...(await measureLatency(generation, setting, generator, options)));
        findings.push(...(await measureFirstByte(generation, setting)));
      }
    } finally {
      await setting.stop();
    }
  } finally {
    await generator.stop();
  }
  return [...findings, ...(await measureMemory(options))];
}
