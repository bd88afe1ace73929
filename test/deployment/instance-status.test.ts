import { describe, expect, test } from "vitest";
import { createInstanceStatus, type InstanceState } from "../../lib/deployment/instance-status.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import type { InstanceRecord } from "../../lib/stores/deployments.ts";

const MINUTE = 60_000;
const silent = () => undefined;
const logger: Logger = { debug: silent, info: silent, warn: silent, error: silent, with: () => logger };

/** An instance whose store fails while it is told to. */
function started(interval = 30_000) {
  const told: InstanceRecord[] = [];
  const world = { now: 1_000_000, isAway: false };
  const status = createInstanceStatus({
    ...{ runtime: "lambda", interval, clock: { now: () => world.now }, random: webCryptoRandom, logger },
    tell: async (instance) => {
      if (world.isAway) throw new Error("the store is away");
      told.push(instance);
    },
  });
  const say = async (state: InstanceState) => {
    const isDue = status.isDue(state);
    if (isDue) await status.tell(state);
    return isDue;
  };
  return { told, world, say };
}

describe("81. what an instance tells the store", () => {
  test("is told at once when it changes, and else rarely", async () => {
    const { told, world, say } = started();
    const states: readonly (readonly [number, InstanceState, boolean])[] = [
      [0, { since: 5 }, true],
      [0, { since: 5 }, false],
      [4 * MINUTE, { since: 5 }, false],
      [MINUTE, { since: 5 }, true],
      [1, { since: 6, revision: 2 }, true],
      [1, { since: 6, revision: 2, problem: "The bundle is no JWS." }, true],
      [1, { since: 6, revision: 2, problem: "The bundle is no JWS." }, false],
      [1, { since: 7, revision: 3 }, true],
    ];
    for (const [pause, state, isTold] of states) {
      world.now += pause;
      expect([await say(state), state]).toEqual([isTold, state]);
    }
    expect(new Set(told.map(({ id }) => id)).size).toBe(1);
    expect(told.at(-1)).toEqual({
      ...{ id: told[0]?.id, runtime: "lambda", revision: 3, since: 7 },
      ...{ seenAt: world.now, expiresAt: world.now + 15 * MINUTE },
    });
    expect(told[3]).toMatchObject({ problem: "The bundle is no JWS." });
    expect(told[0]).not.toHaveProperty("revision");
  });

  test("follows the interval where that is long, and a problem is cut", async () => {
    const { told, world, say } = started(2 * MINUTE);
    await say({ since: 5, problem: "ü".repeat(600) });
    expect(told[0]).toMatchObject({ problem: "ü".repeat(500), expiresAt: world.now + 60 * MINUTE });
    world.now += 19 * MINUTE;
    expect(await say({ since: 5, problem: "ü".repeat(600) })).toBe(false);
  });

  test("is told again a little later when the store was away, and fails nobody", async () => {
    const { told, world, say } = started();
    world.isAway = true;
    expect(await say({ since: 5 })).toBe(true);
    expect(await say({ since: 5 })).toBe(false);
    world.now += MINUTE / 2;
    world.isAway = false;
    expect(await say({ since: 5 })).toBe(true);
    expect(told).toHaveLength(1);
  });
});
