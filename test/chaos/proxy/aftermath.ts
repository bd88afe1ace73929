import { setTimeout as pause } from "node:timers/promises";
import type { Agent } from "./agent.ts";
import { call, type What } from "./calls.ts";
import { UPSTREAMS } from "./cast.ts";
import type { World } from "./world.ts";

/** Within which everything works again once nothing is disturbed any more, milliseconds: an open circuit closes too. */
export const RECOVERY = 30_000;

const CHECKED: readonly What[] = ["echo", "slow", "big", "read", "list_tools", "list_resources"];
const PAUSE = 100;

/** What did not work again: the calls of the last round that had no result, as texts. */
export async function untilAllWorks(agents: readonly Agent[], world: World): Promise<readonly string[]> {
  const end = Date.now() + RECOVERY;
  for (;;) {
    const failed = await callEverything(agents, world, () => Date.now() > end);
    if (failed.length === 0) break;
    if (Date.now() > end) return failed;
    await pause(PAUSE);
  }
  // What works again works.
  return callEverything(agents, world, () => false);
}

/** Every agent calls everything of every upstream, until something failed and there is no time to try again. */
async function callEverything(
  agents: readonly Agent[],
  world: World,
  isLate: () => boolean,
): Promise<readonly string[]> {
  const rounds = await Promise.all(
    agents.map(async (agent) => {
      const failed: string[] = [];
      for (const upstream of UPSTREAMS)
        for (const what of CHECKED) {
          if (failed.length > 0 && isLate()) return failed;
          const { ending } = await call(what, upstream, agent, world);
          if (ending.kind !== "result")
            failed.push(`${what} of ${upstream.name} for ${agent.role.name}: ${JSON.stringify(ending)}`);
        }
      return failed;
    }),
  );
  return rounds.flat();
}
