import { Agent } from "node:http";
import { freePort } from "../../test/support/free-port.ts";
import { collectedMemory } from "../support/collected-memory.ts";
import { forEach } from "../support/crowd.ts";
import type { Finding } from "../support/finding.ts";
import { sampleMemory } from "../support/memory-samples.ts";
import type { BenchOptions } from "../support/options.ts";
import { mebibytes } from "../support/sizes.ts";
import { times } from "../support/statistics.ts";
import { toolCall } from "./calls.ts";
import { startSetting } from "./setting.ts";
import { callStreamed } from "./streamed-call.ts";
import { APPS, STREAMED_SIZE, TOOLS } from "./terms.ts";

/** Of the requests that other benchmarks send: a result is long. */
const SHARE = 1 / 20;
const AT_ONCE = 4;
/** By how much memory may have grown and still be flat. */
const GROWTH = 1.1;

/** Memory of a gateway through which long results go, in a process of its own. */
export async function measureMemory(options: BenchOptions): Promise<readonly Finding[]> {
  const results = Math.ceil(options.requests * SHARE);
  const warmUp = Math.ceil(options.warmUp * SHARE);
  const inspectorPort = await freePort();
  const setting = await startSetting(options, [`--inspect=127.0.0.1:${inspectorPort}`]);
  const { gateway, agents, stop } = setting;
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const call = async (id: number) => {
    const tool = `${APPS.kept}_${TOOLS.streamed}`;
    const { length } = await callStreamed(gateway.port, toolCall(id, { generation: "session", tool, agents }), agent);
    if (length < STREAMED_SIZE) throw new Error(`A result had ${length} bytes.`);
  };
  try {
    await forEach(warmUp, (index) => call(index + 1), AT_ONCE);
    const before = await collectedMemory(gateway.pid, inspectorPort);
    const sampled = sampleMemory(gateway.pid, 100);
    await forEach(results, (index) => call(warmUp + index + 1), AT_ONCE);
    const { max } = sampled.stop();
    const after = await collectedMemory(gateway.pid, inspectorPort);
    return [
      {
        what: `MCP Proxy: memory after ${results} results of 1 MB, ${AT_ONCE} at a time`,
        measured: mebibytes(after),
        against: `${mebibytes(before)} before, ${mebibytes(max)} at most meanwhile`,
        ratio: times(after / before),
        target: `≤ ${times(GROWTH)}`,
        met: after <= GROWTH * before,
      },
    ];
  } finally {
    agent.destroy();
    await stop();
  }
}
