import { deepStrictEqual, ok } from "node:assert/strict";
import type { Check } from "../mcp-clients/check.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { compare, describe } from "./compare.ts";
import { entryOf, staleNames } from "./differences.ts";
import { startGuardedUpstream } from "./gateway.ts";
import { REVISIONS, type Results, type Revision, resultsOf, scenarioOf, scoredScenarios } from "./results.ts";
import { startShim } from "./shim.ts";

export interface Under {
  /** Of the upstream's endpoint. */
  readonly upstreamURL: string;
  /** A folder for what the suite leaves. */
  readonly home: string;
  /** What came out directly, by revision. */
  readonly direct: Map<Revision, Results>;
}

/** The upstream by itself passes whatever is scored, without a warning. */
export function directChecks({ upstreamURL, home, direct }: Under): readonly Check[] {
  return REVISIONS.map((revision) => ({
    name: `${revision}, directly: whatever is scored passes`,
    run: async () => {
      const results = await resultsOf(upstreamURL, revision, home);
      direct.set(revision, results);
      const scored = await scoredScenarios(revision);
      const outcomes = [...results].filter(([name]) => scored.has(scenarioOf(name))).flatMap(([, all]) => all);
      deepStrictEqual(
        outcomes.filter(({ status }) => status !== "SUCCESS"),
        [],
      );
      const run = new Set([...results.keys()].map(scenarioOf));
      deepStrictEqual(
        [...scored].filter((scenario) => !run.has(scenario)),
        [],
        "scenarios that did not run",
      );
      console.log(`        ${outcomes.length} checks of ${scored.size} scenarios passed`);
    },
  }));
}

/** What adds the token changes nothing. */
export function shimChecks({ upstreamURL, home, direct }: Under): readonly Check[] {
  return REVISIONS.map((revision) => ({
    name: `${revision}, through the shim alone: as directly`,
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
export function gatewayChecks(runtime: RuntimeUnderTest, { upstreamURL, home, direct }: Under): readonly Check[] {
  const differing: string[] = [];
  const identical = REVISIONS.map((revision) => ({
    name: `${revision}, through the gateway on ${runtime.name}: as directly, but for what is listed`,
    run: async () => {
      const before = resultsBefore(direct, revision);
      const gateway = await startGuardedUpstream(runtime, upstreamURL);
      try {
        const through = await resultsOf(gateway.url, revision, home);
        const found = compare(before, through);
        differing.push(...found.map(({ name }) => name));
        const unlisted = found.filter(({ name }) => entryOf(name, runtime.name) === undefined);
        console.log(`        ${before.size - found.length} of ${before.size} checks are identical`);
        ok(unlisted.length === 0, `${unlisted.length} checks differ:\n${unlisted.map(describe).join("\n")}`);
      } finally {
        await gateway.stop();
      }
    },
  }));
  const stale: Check = {
    name: `on ${runtime.name}: whatever is listed as different still is`,
    run: async () => deepStrictEqual(staleNames(differing, runtime.name), [], "to be taken out of differences.ts"),
  };
  return [...identical, stale];
}

function resultsBefore(direct: Under["direct"], revision: Revision): Results {
  const results = direct.get(revision);
  if (results === undefined) throw new Error(`There is nothing to compare with: ${revision} did not run directly.`);
  return results;
}
