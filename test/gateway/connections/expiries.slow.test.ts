import { randomInt } from "node:crypto";
import { describe, test } from "vitest";
import type { Random } from "../../chaos/random.ts";
import type { SpentToken, Tear } from "../../connections/support/torn-wire.ts";
import { crossExpiries, TEARS } from "./expiries.ts";
import { startHub } from "./two-instances.ts";

/** Of each test; `COUNTERSIGN_CASES=10000` is over 600 expiries. */
const CALLS = Number(process.env.COUNTERSIGN_CASES ?? 500);
const SEED = Number(process.env.COUNTERSIGN_SEED ?? randomInt(1, 2 ** 31));
/** Of requests within a grace that nobody hears of, one after the other: more, and the grace is over. */
const MOST_TORN = 2;
/** Milliseconds. */
const GRACE = 10_000;
const TIMEOUT = 3_000;

describe(`calls over many expiries, with a provider whose answers are torn at (seed ${SEED})`, {
  timeout: 900_000,
}, () => {
  test.each([
    ["a strict provider ends a grant only where its answer was lost after it had rotated", 0, tear],
    ["nothing is lost where the provider gives a grace period", GRACE, tearWithinGrace],
  ])("%s", async (_, grace, how) => {
    const hub = await startHub();
    const refresh = { grace, timeout: TIMEOUT };
    const of = { seed: SEED + grace, calls: CALLS, refresh, repeats: grace, tear: how, isStrict: grace === 0 };
    try {
      await crossExpiries(hub, of);
    } finally {
      await hub.stop();
    }
  });
});

function tear(_: SpentToken, random: Random): Tear | undefined {
  return random.pick(TEARS);
}

function tearWithinGrace(token: SpentToken, random: Random): Tear | undefined {
  const how = random.pick(TEARS);
  if (how === "slow") return how;
  if (token.torn >= MOST_TORN) return undefined;
  // A provider that is busy is left alone for longer than its grace.
  return token.isRotated && how === "busy" ? "cut_after" : how;
}
