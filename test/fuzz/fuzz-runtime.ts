import { setTimeout as pause } from "node:timers/promises";
import { RESOURCE_SERVER } from "../behaviour/configuration.ts";
import type { RunningRegions } from "../support/runtime.ts";
import { ID_SECRET, SETUP_TOKEN } from "../support/runtime.ts";
import { sendGarbage } from "./garbage.ts";
import { type Failure, runLane } from "./lane.ts";
import { type Prng, prng } from "./prng.ts";
import { secrets } from "./secrets.ts";
import type { World } from "./world.ts";

/** What was found out about one runtime. */
export interface FuzzResult {
  readonly name: string;
  /** How often each outcome was met. */
  readonly counts: ReadonlyMap<string, number>;
  readonly failures: readonly Failure[];
}

export interface FuzzOptions {
  readonly name: string;
  readonly regions: RunningRegions;
  readonly world: World;
  readonly seed: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Bytes that are no HTTP go to the server too: where it is the product's own. */
  readonly hasOwnServer: boolean;
}

/** Log lines of one kind that a result shows. */
const SHOWN = 3;

/** Requests that are on their way to one runtime at the same time. */
const LANES = 4;
/** Garbage is a by-work: most of the time belongs to requests. Milliseconds. */
const GARBAGE_PAUSE = 10;

/** Sends generated requests to one running product until the time is over or an answer is wrong, then looks at its logs. */
export async function fuzzRuntime({
  name,
  regions,
  world,
  seed,
  until,
  hasOwnServer,
}: FuzzOptions): Promise<FuzzResult> {
  const known = secrets();
  for (const literal of [RESOURCE_SERVER.secret, SETUP_TOKEN, ID_SECRET]) known.addLiteral(literal);
  for (const line of world.privateLines) known.addLiteral(line);
  const port = Number(new URL(regions.us.url).port);
  const counts = new Map<string, number>();
  const count = (outcome: string) => void counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const failures: Failure[] = [];
  const goesOn = () => Date.now() < until && failures.length === 0;
  const keep = (failure: Failure | undefined) => {
    if (failure !== undefined) failures.push(failure);
  };
  const lane = async (number: number) =>
    keep(await runLane({ port, world, prng: prng(`${seed}/${name}/${number}`), secrets: known, count, goesOn }));
  const lanes = Array.from({ length: LANES }, (_, number) => lane(number));
  await Promise.all([
    ...lanes,
    ...(hasOwnServer ? [throwGarbage(port, prng(`${seed}/${name}/garbage`), count, goesOn).then(keep)] : []),
  ]);
  const lines = [...regions.us.logs(), ...regions.uk.logs()];
  counts.set("log lines", lines.length);
  const leaks = known.leaks(lines).map((line) => `a secret is in the log: ${line}`);
  const defects = lines.filter(isDefect).map((line) => `logged: ${line.slice(0, 500)}`);
  for (const found of [leaks, defects]) {
    for (const text of found.slice(0, SHOWN))
      keep({ fault: `${text} (${found.length} such lines)`, bytes: Buffer.alloc(0) });
  }
  return { name, counts, failures };
}

async function throwGarbage(
  port: number,
  choices: Prng,
  count: (outcome: string) => void,
  goesOn: () => boolean,
): Promise<Failure | undefined> {
  while (goesOn()) {
    const wrong = await sendGarbage(port, choices);
    if (wrong !== undefined) return { fault: wrong, bytes: Buffer.alloc(0) };
    count("garbage");
    await pause(GARBAGE_PAUSE);
  }
  return undefined;
}

/** An entry of level error: something that the product did not foresee. */
function isDefect(line: string): boolean {
  return /"level":"error"|Uncaught|\bat .+\.ts:\d+/.test(line);
}
