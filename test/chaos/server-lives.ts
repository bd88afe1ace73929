import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "./random.ts";
import type { Life, Target } from "./target.ts";
import type { World } from "./world.ts";

/** How often the server ended so far. */
export interface LifeCounts {
  kills: number;
  /** Of the kills, those before the server was ready. */
  killsAtStart: number;
  /** Ends that nobody caused. */
  crashes: number;
}

/** One life of the server after the other, on the same state. */
export interface ServerLives {
  readonly counts: LifeCounts;
  /** Starts it, after some starts that are cut short. */
  start(cutShort: number): Promise<void>;
  /** SIGKILL and {@link start}. */
  restart(cutShort: number): Promise<void>;
  hasEnded(): boolean;
  /** SIGKILL, for good; nothing when it has ended. */
  end(): Promise<void>;
}

/** Longer than a start usually takes, milliseconds. */
const START = 900;

export function serverLives(target: Target, world: World, random: Random): ServerLives {
  const counts: LifeCounts = { kills: 0, killsAtStart: 0, crashes: 0 };
  let life: Life | undefined;

  const kill = async (): Promise<void> => {
    world.gate.close();
    if (life?.ended()) counts.crashes += 1;
    counts.kills += 1;
    await life?.kill();
  };
  const launch = async (cutShort: number): Promise<void> => {
    for (let rest = cutShort; rest > 0; rest--) {
      life = target.launch();
      await Promise.race([life.ready, pause(random.between(0, START))]);
      counts.killsAtStart += 1;
      await kill();
    }
    const { length } = target.logs();
    life = target.launch();
    if (!(await life.ready)) throw new Error(`The server did not start:\n${target.logs().slice(length).join("\n")}`);
    world.gate.open();
  };
  return {
    counts,
    start: (cutShort) => world.journal.disturb("start", true, () => launch(cutShort)),
    restart: (cutShort) =>
      world.journal.disturb("kill", true, async () => {
        await kill();
        await launch(cutShort);
      }),
    hasEnded: () => life?.ended() === true,
    end: async () => {
      if (life?.ended() === false) await kill();
    },
  };
}
