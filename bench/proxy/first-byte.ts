import { Agent } from "node:http";
import type { Finding } from "../support/finding.ts";
import type { Generation } from "../support/options.ts";
import { median, milliseconds, percentile } from "../support/statistics.ts";
import { type Agents, toolCall } from "./calls.ts";
import type { ServerProcess } from "./servers.ts";
import type { Setting } from "./setting.ts";
import { callStreamed, type StreamedCall } from "./streamed-call.ts";
import { APPS, TOOLS } from "./terms.ts";

const CALLS = 300;
const WARM_UP = 100;
/** Milliseconds. */
const LIMIT = 2;

/** How much later than from the upstream itself the first byte of what it writes is there. */
export async function measureFirstByte(generation: Generation, setting: Setting): Promise<readonly Finding[]> {
  const { gateway, upstream, agents } = setting;
  const tool = `${APPS.kept}_${TOOLS.streamed}`;
  const ours = await calls(gateway, generation, tool, agents);
  const direct = await calls(upstream, generation, TOOLS.streamed, agents);
  return (["report", "result"] as const).map((what) => {
    const of = (made: readonly StreamedCall[]) => made.map((call) => call[what]);
    const [mine, theirs] = [median(of(ours)), median(of(direct))];
    const p99 = percentile(Float64Array.from(of(ours)), 0.99);
    return {
      what: `MCP Proxy, ${generation}: first byte of a streamed ${what}, later than the upstream's own`,
      measured: milliseconds(mine - theirs, 2),
      against: `p50 of ${milliseconds(mine, 2)} and ${milliseconds(theirs, 2)}; p99 ${milliseconds(p99, 2)}`,
      target: `≤ ${milliseconds(LIMIT)}`,
      met: mine - theirs <= LIMIT,
    };
  });
}

async function calls(
  { port }: ServerProcess,
  generation: Generation,
  tool: string,
  agents: Agents,
): Promise<readonly StreamedCall[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const made: StreamedCall[] = [];
  for (let id = 1; id <= WARM_UP + CALLS; id += 1)
    made.push(await callStreamed(port, toolCall(id, { generation, tool, agents }), agent));
  agent.destroy();
  return made.slice(WARM_UP);
}
