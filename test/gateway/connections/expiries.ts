import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Random, seededChoices } from "../../chaos/random.ts";
import { type SpentToken, startTornWire, type Tear, type WireGrant } from "../../connections/support/torn-wire.ts";
import { APART, type CallEnd, LIFETIME, type RotatingProvider, startTwoInstances } from "./two-instances.ts";

export interface Expiries {
  readonly seed: number;
  /** 50 at once. */
  readonly calls: number;
  /** Milliseconds, as the connector has them. */
  readonly refresh: { readonly grace: number; readonly timeout: number };
  /** Milliseconds in which the wire repeats the provider's answer to a spent token, for a provider that has no grace itself. */
  readonly repeats: number;
  /** What happens to a refresh that is torn at; undefined: nothing does. */
  readonly tear: (token: SpentToken, random: Random) => Tear | undefined;
  /** An answer that is lost after the provider had rotated ends the grant. */
  readonly isStrict: boolean;
}

export const TEARS: readonly Tear[] = ["slow", "busy", "cut_before", "silent_before", "cut_after", "silent_after"];
const AT_ONCE = 50;
const PEOPLE = ["ann", "ben", "cleo"];
/** Of a refresh to be torn at. */
const PROBABILITY = 0.25;
const MOST_LOOKED_FOR = 100;
/** The former token is about to end on both clocks, or ended on both. */
const STEPS = [LIFETIME * 1_000 - APART - 25_000, (LIFETIME + 1) * 1_000];

/**
 * Calls at two instances over many expiries, while the wire to the provider is torn at, judged by the table of D212. Whoever has lost a
 * connection connects again. The provider is not stopped.
 */
export async function crossExpiries(provider: RotatingProvider, expiries: Expiries): Promise<void> {
  const { calls: wanted, refresh, isStrict } = expiries;
  const random = seededChoices(expiries.seed);
  let now = Date.now();
  const wire = await startTornWire(provider.connector.endpoints.tokenURL, expiries.repeats, () => now);
  const instances = await startTwoInstances(provider, wire, refresh, now);
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
      expect([grantOf(person).isLost, isStrict], `the connection of ${person}`).toEqual([true, true]);
      reconnects++;
      await connected(person);
    }
  }

  try {
    for (const person of PEOPLE) await connected(person);
    wire.choose = (token) => (random.chance(PROBABILITY) ? expiries.tear(token, random) : undefined);
    for (let calls = 0; calls < wanted; calls += AT_ONCE) {
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
    expect(reconnects).toBe(isStrict ? wire.grants.filter(({ isLost }) => isLost).length : 0);
    expect(wire.refreshes()).toBeGreaterThanOrEqual((wanted / AT_ONCE) * 2);
    const kept = [contentOf(product.folder), ...product.logs].join("\n");
    expect(someTokens(wire.grants).filter((token) => kept.includes(token))).toEqual([]);
  } finally {
    await instances.stop();
    await wire.close();
  }
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
