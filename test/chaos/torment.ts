import { setTimeout as pause } from "node:timers/promises";
import { burst } from "./load.ts";
import type { Random } from "./random.ts";
import { type LifeCounts, serverLives } from "./server-lives.ts";
import { IDLING, type Target, type Trouble } from "./target.ts";
import type { World } from "./world.ts";

/** What was done to the server so far, as far as the journal does not tell. */
export interface TormentCounts extends LifeCounts {
  /** Of the kills, those right after a burst of requests. */
  killsAfterBurst: number;
  /** Those in a delicate moment of the server's. */
  killsInMidWrite: number;
}

/** Keeps a server running and does to it what should not matter. */
export interface Tormentor {
  counts(): TormentCounts;
  /** Starts it, after some starts that are cut short. */
  start(cutShort: number): Promise<void>;
  /** Until told to stop; the server runs when this resolves. */
  torment(until: () => boolean): Promise<void>;
  /** SIGKILL, and a start on the same state. */
  restart(): Promise<void>;
  /** SIGKILL, for good; nothing when it has ended. */
  end(): Promise<void>;
}

const BURST = 48;
/** The server is killed so soon after a burst began, milliseconds. */
const BURST_HEAD_START = 40;
/** Kills before the pause in which objects idle. */
const RESTS_AFTER = 8;
/** How long to wait for a delicate moment, milliseconds. */
const PATIENCE = 8_000;
/** Between two troubles, milliseconds. */
const TROUBLE_PAUSE = { least: 100, most: 800 };

export function tormentor(target: Target, world: World, random: Random): Tormentor {
  const lives = serverLives(target, world, random);
  const counts = { killsAfterBurst: 0, killsInMidWrite: 0 };

  /** The burst is under way when the kill comes; it ends with it. */
  const killAfterBurst = async (): Promise<void> => {
    const requests = burst(world, random, BURST);
    await pause(random.between(0, BURST_HEAD_START));
    counts.killsAfterBurst += 1;
    await lives.restart(0);
    await requests;
  };
  const killInMidWrite = async (): Promise<void> => {
    if (await target.delicateMoment?.(PATIENCE)) counts.killsInMidWrite += 1;
    await lives.restart(0);
  };
  const killSomehow = (): Promise<void> => {
    const choice = random.next();
    if (choice < 0.35) return killAfterBurst();
    if (choice < 0.6 && target.delicateMoment !== undefined) return killInMidWrite();
    return lives.restart(random.chance(0.35) ? random.between(1, 2) : 0);
  };
  return {
    counts: () => ({ ...lives.counts, ...counts }),
    start: lives.start,
    torment: async (until) => {
      let toRest = target.idleTime;
      while (!until()) {
        await troubleFor(target, world, random, until);
        if (toRest !== undefined && lives.counts.kills >= RESTS_AFTER) {
          await causeTrouble(idling(world, toRest), world, random);
          toRest = undefined;
        }
        if (!until()) await killSomehow();
      }
      // What others still wait for needs a server, also when it has ended by itself.
      if (lives.hasEnded()) await lives.restart(0);
    },
    restart: () => lives.restart(0),
    end: lives.end,
  };
}

/** One lifetime of the server, with whatever troubles it has without ending. */
async function troubleFor(target: Target, world: World, random: Random, until: () => boolean): Promise<void> {
  const end = Date.now() + random.between(target.lifetime.least, target.lifetime.most);
  while (Date.now() < end && !until()) {
    const left = Math.max(end - Date.now(), 0);
    await pause(Math.min(left, random.between(TROUBLE_PAUSE.least, TROUBLE_PAUSE.most)));
    const next = random.pick(target.troubles);
    if (next !== undefined) await causeTrouble(next, world, random);
  }
}

function causeTrouble({ kind, cutsOff, cause }: Trouble, { journal }: World, random: Random): Promise<void> {
  return journal.disturb(kind, cutsOff, () => cause(random));
}

/** Whatever nobody asks anything for long enough ends by itself. */
function idling({ gate }: World, time: number): Trouble {
  return { kind: IDLING, cutsOff: false, cause: () => gate.rest(time) };
}
