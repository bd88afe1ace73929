import { parseFlags } from "../../infra/node/flags.ts";
import { bareWorkerd } from "../runtimes/bare-workerd.ts";
import { lambda } from "../runtimes/lambda.ts";
import { node } from "../runtimes/node.ts";
import { atTheEnd } from "../support/at-the-end.ts";
import { type RunningDynamo, startDynamo } from "../support/dynamodb.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import type { Attack, Figure, Stage } from "./attack.ts";
import { exports } from "./attacks/exports.ts";
import { fullDisk } from "./attacks/full-disk.ts";
import { clockSetBack, lowMemory } from "./attacks/hard-times.ts";
import { limited } from "./attacks/limited.ts";
import { lockedStore } from "./attacks/locked-store.ts";
import { mixedAbuse } from "./attacks/mixed-abuse.ts";
import { openUpstream, unseenNames } from "./attacks/open-upstream.ts";
import { pollutedParameters } from "./attacks/polluted-parameters.ts";
import { refusedCalls } from "./attacks/refused-calls.ts";
import { starvation } from "./attacks/starvation.ts";
import { strangers, takenAddresses } from "./attacks/strangers.ts";
import { uploads } from "./attacks/uploads.ts";

/**
 * Plays hostile clients, tenants and servers against the product as it ships, and prints what came of it beside what is
 * allowed. The numbers are those of docs/security-checklist.md.
 *
 *     npm run test:hostile -- [-seconds 10] [-only NAME] [-runtime node|workerd|lambda]
 *
 * Ends with 1 when a figure is above its limit, or an attack could not be played.
 */
const ATTACKS: readonly Attack[] = [
  fullDisk,
  starvation,
  exports,
  uploads,
  lockedStore,
  refusedCalls,
  lowMemory,
  clockSetBack,
  mixedAbuse,
  pollutedParameters,
  unseenNames,
  openUpstream,
  strangers,
  takenAddresses,
  limited,
];

/** Below this many seconds a phase, ratios of times and memory are printed and not judged. */
const SECONDS_JUDGED = 5;

const { seconds, attacks, runtimes } = readArguments(process.argv.slice(2));
const wrong: string[] = [];
let dynamo: RunningDynamo | undefined;
try {
  for (const attack of attacks) {
    for (const name of runtimes.filter((one) => attack.runtimes.includes(one))) await play(attack, name);
  }
} finally {
  await dynamo?.stop();
}
for (const one of wrong) console.log(atTheEnd(one));
console.log(`Hostile: ${attacks.length} attacks, ${seconds} s a phase, ${wrong.length} wrong.`);
process.exit(wrong.length === 0 ? 0 : 1);

async function play(attack: Attack, name: RuntimeUnderTest["name"]): Promise<void> {
  const title = `${attack.checklist}. ${attack.name} on ${name}`;
  const stops: (() => unknown)[] = [];
  try {
    const runtime = await runtimeOf(name);
    const figures = await attack.play(stageOn(runtime, stops));
    console.log([title, ...figures.map(describe)].join("\n"));
    wrong.push(...figures.filter(isBroken).map((figure) => `WRONG: ${title}:${describe(figure)}`));
  } catch (error) {
    wrong.push(`WRONG: ${title} could not be played: ${error instanceof Error ? error.stack : error}`);
  }
  for (const stop of stops.reverse()) {
    try {
      await stop();
    } catch (error) {
      wrong.push(`WRONG: ${title}: what was started did not stop: ${error}`);
    }
  }
}

function stageOn(runtime: RuntimeUnderTest, stops: (() => unknown)[]): Stage {
  return {
    runtime: runtime.name,
    seconds,
    start: async (options) => {
      const regions = await runtime.start({ alone: true, ...options });
      stops.push(() => regions.stop());
      return regions.us;
    },
    atTheEnd: (stop) => stops.push(stop),
  };
}

async function runtimeOf(name: RuntimeUnderTest["name"]): Promise<RuntimeUnderTest> {
  if (name === "node") return node;
  if (name === "workerd") return bareWorkerd;
  dynamo ??= await startDynamo();
  const started = dynamo;
  return lambda(() => started);
}

/** A ratio of times, or memory, that was measured for a moment, perhaps beside other programs, says nothing yet. */
function isBroken({ value, limit, unit }: Figure): boolean {
  return limit !== undefined && !(value <= limit) && (!["x", "MiB"].includes(unit) || seconds >= SECONDS_JUDGED);
}

function describe(figure: Figure): string {
  const { name, value, limit, unit } = figure;
  const allowed = limit === undefined ? "" : `  of ${limit} ${unit}${isBroken(figure) ? "  BROKEN" : ""}`;
  return `  ${name.padEnd(72)} ${value.toFixed(value < 100 ? 2 : 0).padStart(9)} ${unit.padEnd(4)}${allowed}`;
}

function readArguments(given: readonly string[]) {
  const values = parseFlags(given, { seconds: "string", only: "string", runtime: "string" });
  const names = ["node", "workerd", "lambda"] as const;
  const duration = Number(values.seconds ?? "10");
  const chosen = ATTACKS.filter(({ name }) => values.only === undefined || name === values.only);
  const places = names.filter((name) => values.runtime === undefined || name === values.runtime);
  if (!(duration > 0) || chosen.length === 0 || places.length === 0) {
    const names = ATTACKS.map(({ name }) => name).join("|");
    throw new Error(`usage: npm run test:hostile -- [-seconds 10] [-only ${names}] [-runtime node|workerd|lambda]`);
  }
  return { seconds: duration, attacks: chosen, runtimes: places };
}
