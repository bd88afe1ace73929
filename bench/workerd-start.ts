import { fileURLToPath } from "node:url";
import { build, EDGE_VARIABLES } from "./support/edge.ts";
import type { Finding } from "./support/finding.ts";
import type { BenchOptions } from "./support/options.ts";
import { median, milliseconds } from "./support/statistics.ts";
import { startProduct } from "./support/workerd.ts";

const BUNDLE = fileURLToPath(new URL("../dist/worker/us/worker.js", import.meta.url));
const LIMIT = 250;

/** From the start of bare workerd to its first health answer, with the Worker of `us` exactly as it would be deployed. */
export async function benchWorkerdStart({ runs }: BenchOptions): Promise<readonly Finding[]> {
  for (const script of ["configuration.ts", "worker.ts"]) build(script);
  const starts: number[] = [];
  for (let run = 0; run < runs; run++) {
    const workerd = await startProduct({ bundle: BUNDLE, variables: EDGE_VARIABLES, objects: "disk" });
    starts.push(workerd.startedIn);
    await workerd.stop();
  }
  const typical = median(starts);
  return [
    {
      what: "First health answer of workerd",
      measured: milliseconds(typical, 0),
      against: `${milliseconds(Math.min(...starts), 0)} to ${milliseconds(Math.max(...starts), 0)} in ${runs} starts`,
      target: `≤ ${milliseconds(LIMIT, 0)}`,
      met: typical <= LIMIT,
    },
  ];
}
