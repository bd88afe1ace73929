import { deepStrictEqual, ok } from "node:assert/strict";
import type { Check } from "../mcp-clients/check.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { compare, type Differing, describe } from "./compare.ts";
import { entryOf, staleNames } from "./differences.ts";
import type { Fixture } from "./fixtures.ts";
import { type GuardedUpstream, startGuardedUpstream } from "./gateway.ts";
import { type Results, type Revision, resultsOf, scenarioOf, scoredScenarios } from "./results.ts";
import { startShim } from "./shim.ts";

/** As many lines of the gateway's log as help. */
const MOST_COMPLAINTS = 20;

/** Of a server of others. It says that the suite and the server understand each other at all. */
const LEAST_PASSED = 50;

export interface Under {
  readonly fixture: Fixture;
  /** Of its endpoint. */
  readonly upstreamURL: string;
  /** A folder for what the suite leaves. */
  readonly home: string;
  /** What came out directly, by revision. */
  readonly direct: Map<Revision, Results>;
}

/** The results to compare with. A strict fixture passes whatever is scored, without a warning, and fails nothing that is not. */
export function directChecks({ fixture, upstreamURL, home, direct }: Under): readonly Check[] {
  return fixture.revisions.map((revision) => ({
    name: `${revision}, ${fixture.title} directly: ${fixture.isStrict ? "whatever is scored passes, and nothing else fails" : "has results"}`,
    run: async () => {
      const results = await resultsOf(upstreamURL, revision, home);
      direct.set(revision, results);
      const scored = await scoredScenarios(revision);
      const outcomes = [...results].flatMap(([name, all]) =>
        all.map((outcome) => ({ ...outcome, isScored: scored.has(scenarioOf(name)) })),
      );
      const passed = outcomes.filter(({ status }) => status === "SUCCESS").length;
      if (fixture.isStrict) {
        const mayBe = ({ isScored, status }: (typeof outcomes)[number]) =>
          status === "SUCCESS" || (status === "SKIPPED" && !isScored);
        deepStrictEqual(
          outcomes.filter((outcome) => !mayBe(outcome)),
          [],
        );
      } else ok(passed >= LEAST_PASSED, `only ${passed} checks passed`);
      const came = new Set([...results.keys()].map(scenarioOf));
      deepStrictEqual(
        [...scored].filter((scenario) => !came.has(scenario)),
        [],
        "scenarios that did not run",
      );
      const scoredCount = outcomes.filter(({ isScored }) => isScored).length;
      console.log(`        ${passed} of ${outcomes.length} checks passed; ${scoredCount} are scored`);
    },
  }));
}

/** What adds the token changes nothing. */
export function shimChecks({ fixture, upstreamURL, home, direct }: Under): readonly Check[] {
  return fixture.revisions.map((revision) => ({
    name: `${revision}, ${fixture.title} through the shim alone: as directly`,
    run: async () => {
      const shim = await startShim(upstreamURL);
      try {
        const through = await resultsOf(shim.url, revision, home);
        deepStrictEqual(compare(resultsBefore(direct, revision), through).map(describe), []);
      } finally {
        await shim.stop();
      }
    },
  }));
}

/** Through the gateway every check comes out as directly, but for those that are listed. */
export function gatewayChecks(runtime: RuntimeUnderTest, under: Under): readonly Check[] {
  const { title, revisions } = under.fixture;
  const place = { runtime: runtime.name, fixture: under.fixture.name };
  const differing: string[] = [];
  let gateway: GuardedUpstream | undefined;
  const steps: readonly Check[] = [
    {
      name: `the gateway on ${runtime.name} starts before ${title}`,
      run: async () => {
        gateway = await startGuardedUpstream(runtime, under.upstreamURL);
      },
    },
    ...revisions.map((revision) => ({
      name: `${revision}, ${title} through the gateway on ${runtime.name}: as directly, but for what is listed`,
      run: async () => {
        if (gateway === undefined) throw new Error("The gateway did not start.");
        const found = await differencesThrough(gateway, revision, under);
        differing.push(...found.map((difference) => difference.name));
        const unlisted = found.filter((difference) => entryOf(difference.name, place) === undefined);
        const told = [...unlisted.map(describe), ...gateway.complaints().slice(-MOST_COMPLAINTS)].join("\n");
        ok(unlisted.length === 0, `${unlisted.length} checks differ:\n${told}`);
      },
    })),
    {
      name: `${title} on ${runtime.name}: whatever is listed as different still is, and the gateway stops`,
      run: async () => {
        await gateway?.stop();
        deepStrictEqual(staleNames(differing, place), [], "to be taken out of differences.ts");
      },
    },
  ];
  return steps;
}

async function differencesThrough(
  { url }: GuardedUpstream,
  revision: Revision,
  { home, direct }: Under,
): Promise<readonly Differing[]> {
  const before = resultsBefore(direct, revision);
  const first = compare(before, await resultsOf(url, revision, home));
  // A machine that stood still is no difference.
  const again = first.some(isTimed) ? compare(before, await resultsOf(url, revision, home)) : [];
  const found = first.filter((one) => !isTimed(one) || again.some(({ name }) => name === one.name));
  console.log(`        ${before.size - found.length} of ${before.size} checks are identical`);
  return found;
}

/** Checks for which the suite waits half a second: what differs must do so twice. */
function isTimed({ name }: Differing): boolean {
  return scenarioOf(name) === "server-stateless";
}

function resultsBefore(direct: Under["direct"], revision: Revision): Results {
  const results = direct.get(revision);
  if (results === undefined) throw new Error(`There is nothing to compare with: ${revision} did not run directly.`);
  return results;
}
