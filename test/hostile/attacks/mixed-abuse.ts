import { setTimeout as pause } from "node:timers/promises";
import { residentMemory } from "../../../bench/support/process-usage.ts";
import { behaviourConfiguration } from "../../behaviour/configuration.ts";
import { issueToken } from "../../behaviour/fixture.ts";
import type { RunningRegion } from "../../support/runtime.ts";
import { startUpstream } from "../../support/upstream.ts";
import type { Attack, Figure } from "../attack.ts";
import { CONNECTIONS, everything } from "../everything.ts";
import { whileFlooded } from "../flood.ts";
import { clientOf, isActive, tenants } from "../tenants.ts";
import { slowdown, victimLatency } from "../victim.ts";

/** How long the victim is measured alone, at most, seconds. */
const QUIET = 60;
/** Tokens that the victim was given and that have to be good when all is over. They live for an hour. */
const ACKNOWLEDGED = 20;
/** How often the memory is read, milliseconds. */
const READ_EVERY = 500;
const MIB = 1024 * 1024;
/** What may stay after a while, and for how long memory may take to be given back, seconds. */
const GROWTH = 150;
const GIVING_BACK = 60;

/** Everything at once: the process lives, its memory comes back, and nothing that was acknowledged is lost. */
export const mixedAbuse: Attack = {
  name: "mixed-abuse",
  checklist: 43,
  runtimes: ["node"],
  async play({ start, atTheEnd, seconds }) {
    const upstream = await startUpstream();
    atTheEnd(() => upstream.stop());
    const region = await start({ configuration: behaviourConfiguration, variables: { UPSTREAM_URL: upstream.url } });
    const { first: attacker, second: victim } = await tenants(region);
    const bad = await clientOf(attacker, { resources: [`${region.url}/mcp`] });
    const good = await clientOf(victim);
    await victimLatency(region, good, 1);
    const quiet = await victimLatency(region, good, Math.min(seconds, QUIET));
    const acknowledged = await Promise.all(Array.from({ length: ACKNOWLEDGED }, () => issueToken(region, good)));
    const before = memoryOf(region);
    const readings: number[] = [before];
    const reading = setInterval(() => readings.push(memoryOf(region)), READ_EVERY);
    atTheEnd(async () => clearInterval(reading));
    const { measured, answers } = await whileFlooded(await everything(region, bad), () =>
      victimLatency(region, good, seconds),
    );
    clearInterval(reading);
    const kept = await Promise.all(acknowledged.map((token) => isActive(region, token)));
    return [
      ...slowdown(`${CONNECTIONS} connections with everything`, quiet, measured),
      { name: "acknowledged tokens that are lost", value: kept.filter((is) => !is).length, limit: 0, unit: "" },
      { name: "connections that broke", value: answers[0] ?? 0, unit: "" },
      { name: "answers of 500", value: answers[500] ?? 0, limit: 0, unit: "" },
      ...memoryOver(readings),
      await givenBack(region, before, seconds),
    ];
  },
};

function memoryOf({ pid }: RunningRegion): number {
  if (pid === undefined) throw new Error("The server has no process of its own.");
  return residentMemory(pid);
}

/** How far memory rose, and whether it went on rising once the server had warmed up. */
function memoryOver(readings: readonly number[]): readonly Figure[] {
  const [before = 0] = readings;
  const highest = (from: number, to: number) =>
    Math.max(before, ...readings.slice(readings.length * from, readings.length * to));
  return [
    { name: "memory at its highest, above that before", value: (highest(0, 1) - before) / MIB, unit: "MiB" },
    {
      name: "memory of the last quarter above that of the second",
      value: (highest(0.75, 1) - highest(0.25, 0.5)) / MIB,
      unit: "MiB",
    },
  ];
}

/** How much stays of the memory that the attack took. A short attack waits for as long as it took. */
async function givenBack(region: RunningRegion, before: number, seconds: number): Promise<Figure> {
  const end = Date.now() + Math.min(GIVING_BACK, seconds * 2) * 1000;
  const growth = () => (memoryOf(region) - before) / MIB;
  while (growth() > GROWTH && Date.now() < end) await pause(200);
  return { name: "memory that is not given back", value: growth(), limit: GROWTH, unit: "MiB" };
}
