import { benchNodeStart } from "./node-start.ts";
import type { Finding } from "./support/finding.ts";
import { startHydraServer } from "./support/hydra.ts";
import { optionalPeer, startAgentgateway } from "./support/optional-peers.ts";
import type { BenchOptions } from "./support/options.ts";
import { residentMemory } from "./support/process-usage.ts";
import { mebibytes } from "./support/sizes.ts";
import { median, milliseconds } from "./support/statistics.ts";
import { benchWorkerdStart } from "./workerd-start.ts";

/** Start to the first health answer on Node and in workerd, and of the optional peers. */
export async function benchStart(options: BenchOptions): Promise<readonly Finding[]> {
  const { folder } = options;
  const hydra = await optionalPeer("hydra");
  const target = { mcp: { host: "http://localhost:9/mcp" } };
  return [
    ...(await benchNodeStart(options)),
    ...(await benchWorkerdStart(options)),
    ...(await peerStart("agentgateway", options, () => startAgentgateway(folder, target))),
    ...(hydra === undefined ? [] : await peerStart("Ory Hydra", options, () => startHydraServer(folder, hydra))),
  ];
}

type Started = Awaited<ReturnType<typeof startHydraServer>> | Awaited<ReturnType<typeof startAgentgateway>>;

async function peerStart(
  name: string,
  { runs }: BenchOptions,
  start: () => Promise<Started>,
): Promise<readonly Finding[]> {
  const starts: number[] = [];
  const memory: number[] = [];
  for (let run = 0; run < runs; run++) {
    const server = await start();
    if (server === undefined) return [];
    starts.push(server.startedIn);
    memory.push(residentMemory(server.pid));
    await server.stop();
  }
  const idle = `${mebibytes(median(memory))} resident then`;
  return [{ what: `First health answer of ${name}`, measured: milliseconds(median(starts), 0), against: idle }];
}
