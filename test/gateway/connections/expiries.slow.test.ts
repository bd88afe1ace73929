import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Random, seededChoices } from "../../chaos/random.ts";
import { type SpentToken, startTornWire, type Tear, type WireGrant } from "../../connections/support/torn-wire.ts";
import { APART, type CallEnd, LIFETIME, startHub, startTwoInstances } from "./two-instances.ts";

/** Of each test; `COUNTERSIGN_CASES=10000` is over 600 expiries. */
const CALLS = Number(process.env.COUNTERSIGN_CASES ?? 500);
const SEED = Number(process.env.COUNTERSIGN_SEED ?? randomInt(1, 2 ** 31));
const AT_ONCE = 50;
const PEOPLE = ["ann", "ben", "cleo"];
/** Of a refresh to be torn at. */
const PROBABILITY = 0.25;
const TEARS: readonly Tear[] = ["slow", "busy", "cut_before", "silent_before", "cut_after", "silent_after"];
/** Of requests within a grace that nobody hears of, one after the other: more, and the grace is over. */
const MOST_TORN = 2;
const MOST_LOOKED_FOR = 100;
/** Milliseconds. */
const GRACE = 10_000;
const TIMEOUT = 1_000;

/** The former token is about to end on both clocks, or ended on both. */
const STEPS = [LIFETIME * 1_000 - APART - 25_000, (LIFETIME + 1) * 1_000];

describe(`calls over many expiries, with a provider whose answers are torn at (seed ${SEED})`, {
  timeout: 900_000,
}, () => {
  test.each([
    ["a strict provider ends a grant only where its answer was lost after it had rotated", 0],
    ["nothing is lost where the provider gives a grace period", GRACE],
  ])("%s", async (_, grace) => {
    const random = seededChoices(SEED + grace);
    let now = Date.now();
    const hub = await startHub();
    const wire = await startTornWire(`${hub.issuer}/token`, grace, () => now);
    const instances = await startTwoInstances(hub, wire, { grace, timeout: TIMEOUT }, now);
    const { product, connect, agentOf, record } = instances;
    const grants = new Map<string, WireGrant>();
    const connected = async (person: string) => {
      await connect(person);
      grants.set(person, wire.grants.at(-1) as WireGrant);
    };
    const grantOf = (person: string) => grants.get(person) as WireGrant;
    let [reconnects, served, expected] = [0, 0, 0];

    const pass = (milliseconds = 0) => {
      now += milliseconds;
      product.clock.set(now);
    };

    /** 50 calls at once, and what may have become of them. */
    async function round(isTorn: boolean): Promise<void> {
      const before = new Map(PEOPLE.map((person) => [person, grantOf(person).torn]));
      const agents = await Promise.all(PEOPLE.map(agentOf));
      const calls = Array.from({ length: AT_ONCE }, async (_, n) => {
        const who = n % PEOPLE.length;
        return [PEOPLE[who] ?? "", await agents[who]?.(random.chance(0.5) ? 0 : 1)] as const;
      });
      for (const [person, end] of (await Promise.all(calls)) as [string, CallEnd][]) {
        const grant = grantOf(person);
        // The own token of the person, or something happened to it.
        if ("token" in end) expect(grant.accessTokens.has(end.token), `a call of ${person}`).toBe(true);
        else expect([isTorn && grant.torn > (before.get(person) ?? 0), grant.isLost], end.refusal).toContain(true);
        served += "token" in end ? 1 : 0;
      }
      for (const person of PEOPLE) {
        if ((await record(person))?.state !== "reconnect") continue;
        expect([grantOf(person).isLost, grace], `the connection of ${person}`).toEqual([true, 0]);
        reconnects++;
        await connected(person);
      }
    }

    try {
      for (const person of PEOPLE) await connected(person);
      wire.choose = chooser(random, grace > 0);
      for (let calls = 0; calls < CALLS; calls += AT_ONCE) {
        pass(random.pick(STEPS));
        await round(true);
      }
      wire.choose = () => undefined;
      // What is unclear now becomes clear.
      for (let quiet = 0; quiet < 2; quiet++) {
        pass(STEPS[1]);
        expected = served + AT_ONCE;
        await round(false);
      }
      expect(served).toBe(expected);
      expect(wire.violations).toEqual([]);
      expect(instances.early).toEqual([]);
      expect(reconnects).toBe(grace > 0 ? 0 : wire.grants.filter(({ isLost }) => isLost).length);
      expect(wire.refreshes()).toBeGreaterThanOrEqual((CALLS / AT_ONCE) * 2);
      const kept = [contentOf(product.folder), ...product.logs].join("\n");
      expect(someTokens(wire.grants).filter((token) => kept.includes(token))).toEqual([]);
    } finally {
      await instances.stop();
      await wire.close();
      await hub.stop();
    }
  });
});

function chooser(random: Random, hasGrace: boolean): (token: SpentToken) => Tear | undefined {
  return (token) => {
    if (!random.chance(PROBABILITY)) return undefined;
    const how = random.pick(TEARS);
    if (!hasGrace || how === "slow") return how;
    if (token.torn >= MOST_TORN) return undefined;
    // A provider that is busy is left alone for longer than its grace.
    return token.isRotated && how === "busy" ? "cut_after" : how;
  };
}

/** Evenly from all there were: each is looked for in everything. */
function someTokens(grants: readonly WireGrant[]): readonly string[] {
  const all = grants.flatMap(({ accessTokens, refreshTokens }) => [...accessTokens, ...refreshTokens]);
  const step = Math.ceil(all.length / MOST_LOOKED_FOR);
  return all.filter((_, index) => index % step === 0);
}

function contentOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("");
}
