import { randomInt } from "node:crypto";
import { describe, test } from "vitest";
import type { Random } from "../../chaos/random.ts";
import { crossExpiries, TEARS } from "../../gateway/connections/expiries.ts";
import type { SpentToken, Tear } from "../support/torn-wire.ts";
import { type Realm, realmProvider } from "./realms.ts";

const ORIGIN = process.env.COUNTERSIGN_KEYCLOAK ?? "";
/** Of each test. */
const CALLS = Number(process.env.COUNTERSIGN_CASES ?? 500);
const SEED = Number(process.env.COUNTERSIGN_SEED ?? randomInt(1, 2 ** 31));
/** Milliseconds; Keycloak on a busy machine needs some of them. */
const TIMEOUT = 5_000;
/** As the docs advise. */
const GRACE = 60_000;

describe(`calls over many expiries, with Keycloak behind a wire that is torn at (seed ${SEED})`, {
  timeout: 600_000,
}, () => {
  test.each<readonly [string, Realm, number, (token: SpentToken, random: Random) => Tear | undefined]>([
    ["Refresh Token Max Reuse 0 ends a grant only where an answer was lost after it had rotated", "once", 0, tear],
    ["with Refresh Token Max Reuse 1 nothing is lost with one answer", "twice", GRACE, tearOnce],
  ])("%s", async (_, realm, grace, how) => {
    const refresh = { grace, timeout: TIMEOUT };
    const of = { seed: SEED + grace, calls: CALLS, refresh, repeats: 0, tear: how, isStrict: realm === "once" };
    await crossExpiries(await realmProvider(ORIGIN, realm), of);
  });
});

function tear(_: SpentToken, random: Random): Tear | undefined {
  return random.pick(TEARS);
}

/** A third request with one token would end the session. */
function tearOnce({ isRotated }: SpentToken, random: Random): Tear | undefined {
  const how = random.pick(TEARS);
  return isRotated && how?.endsWith("_after") ? "slow" : how;
}
