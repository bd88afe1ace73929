import type { Clock } from "../kernel/clock.ts";
import { base64url } from "../kernel/encoding.ts";
import type { Random } from "../kernel/random.ts";
import { causeOf } from "../logging/cause.ts";
import type { Logger } from "../logging/logger.ts";
import type { Deployments, InstanceRecord } from "../stores/deployments.ts";

/** What an instance tells of itself. */
export interface InstanceState extends Pick<InstanceRecord, "revision" | "since" | "problem"> {}

export interface InstanceStatusOptions {
  readonly runtime: InstanceRecord["runtime"];
  readonly tell: Deployments["tellInstance"];
  /** Between two looks at the source, milliseconds. */
  readonly interval: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Tells the store what this instance uses (D247). */
export interface InstanceStatus {
  /** Whether the store is to be told: something has changed, or nothing was told for long. Cheap. */
  isDue(state: InstanceState): boolean;
  /** Never rejects. */
  tell(state: InstanceState): Promise<void>;
}

/** How many looks at the source pass without a word, and how long that is at least, milliseconds. */
const LOOKS = 10;
const SHORTEST_PERIOD = 300_000;
/** Periods after which an instance that says nothing is forgotten. */
const FORGOTTEN_AFTER = 3;
/** What the store did not hear is told again after so long, milliseconds. */
const RETRY = 30_000;
/** Characters. */
const LONGEST_PROBLEM = 500;

export function createInstanceStatus(options: InstanceStatusOptions): InstanceStatus {
  const { runtime, tell, interval, clock, random, logger } = options;
  const period = Math.max(SHORTEST_PERIOD, LOOKS * interval);
  let id: string | undefined;
  let told: string | undefined;
  let nextAt = Number.NEGATIVE_INFINITY;
  /** A runtime may have ended one midway: then the next one is after a while. */
  let waitsUntil = Number.NEGATIVE_INFINITY;
  const textOf = ({ revision, problem }: InstanceState) => JSON.stringify([revision, problem]);
  return {
    isDue: (state) => clock.now() >= waitsUntil && (textOf(state) !== told || clock.now() >= nextAt),
    tell: async ({ revision, since, problem }) => {
      const now = clock.now();
      waitsUntil = now + RETRY;
      // Not before: Workers make nothing at random while they start.
      id ??= base64url(random.bytes(9));
      try {
        await tell({
          ...{ id, runtime, since, seenAt: now, expiresAt: now + FORGOTTEN_AFTER * period },
          ...(revision !== undefined && { revision }),
          ...(problem !== undefined && { problem: problem.slice(0, LONGEST_PROBLEM).toWellFormed() }),
        });
        [told, nextAt, waitsUntil] = [textOf({ revision, since, problem }), now + period, now];
      } catch (error) {
        logger.debug("published configuration in use not told to the store", { cause: causeOf(error) });
      }
    },
  };
}
