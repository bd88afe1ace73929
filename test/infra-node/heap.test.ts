import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const HEAP = new URL("../../infra/node/heap.ts", import.meta.url).href;

/** Prints by how often the heap is at most what is in use, while old objects are replaced and time is left for everything. */
const REPLACING = `
  import { setImmediate as turn } from "node:timers/promises";
  import { getHeapStatistics } from "node:v8";
  import { boundHeapGrowth, collectStartGarbage } from "${HEAP}";
  boundHeapGrowth();
  const held = Array.from({ length: 200_000 }, (_, index) => ({ index, more: [index] }));
  collectStartGarbage();
  const inUse = getHeapStatistics().used_heap_size;
  let most = 0;
  for (let index = 0; index < 4_000_000; index++) {
    held[index % held.length] = { index, more: [index] };
    if (index % 20_000 === 0) most = Math.max(most, getHeapStatistics().used_heap_size);
    if (index % 200_000 === 0) await turn();
  }
  console.log(most / inUse);
`;

test("garbage among old objects is collected before it has doubled the heap", async () => {
  // Without marking meanwhile it does not depend on who else uses the machine when the garbage is gone.
  const flags = ["--max-semi-space-size=2", "--no-incremental-marking"];
  const args = [...flags, "--input-type=module", "--eval", REPLACING];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(Number(stdout)).toBeLessThan(2);
});
