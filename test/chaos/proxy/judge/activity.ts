import { AGENTS, UPSTREAMS } from "../cast.ts";
import { MOODS } from "../upstream/moods.ts";
import type { Findings } from "./findings.ts";
import type { Violation } from "./violation.ts";

/** How often each thing happened. What never happened breaks no rule and shows nothing. */
export function activityOf({ journal }: Pick<Findings, "journal">): Readonly<Record<string, number>> {
  const { calls, disturbances, heard } = journal;
  const results = calls.filter(({ ending }) => ending.kind === "result");
  return {
    calls: calls.length,
    ...counted(disturbances, ({ kind, whom }) => (whom === "gateway" ? "gateway killed" : `upstreams: ${kind}`)),
    ...counted(calls, ({ ending }) => `ended: ${ending.kind}`),
    ...counted(results, ({ app }) => `results of ${app}`),
    ...counted(results, ({ agent }) => `results for ${agent}`),
    ...counted(results, ({ what }) => `results of ${what}`),
    "told on sessions' streams": heard.length,
  };
}

/** What a run of so many seconds has to have done: a tenth of what it does on a small machine, and each trouble once in two minutes. */
export function leastActivity(seconds: number): Readonly<Record<string, number>> {
  const oneIn = (period: number) => Math.floor(seconds / period);
  return {
    calls: 10 * seconds,
    "gateway killed": oneIn(20),
    "ended: lost": Math.min(1, oneIn(20)),
    "ended: error": Math.min(1, oneIn(20)),
    "ended: failed_result": oneIn(2),
    "told on sessions' streams": oneIn(2),
    ...Object.fromEntries(UPSTREAMS.map(({ name }) => [`results of ${name}`, seconds])),
    ...Object.fromEntries([...AGENTS].map(({ name }) => [`results for ${name}`, seconds])),
    ...Object.fromEntries(["kill", ...MOODS].map((kind) => [`upstreams: ${kind}`, Math.min(1, oneIn(60))])),
  };
}

export function judgeActivity(findings: Findings): readonly Violation[] {
  const activity = activityOf(findings);
  return Object.entries(findings.least)
    .filter(([what, times]) => (activity[what] ?? 0) < times)
    .map(([what, times]) => ({
      rule: "nothing was tried",
      text: `${what}: ${activity[what] ?? 0}, where a run of this length has ${times} at least`,
    }));
}

function counted<T>(list: readonly T[], nameOf: (one: T) => string): Readonly<Record<string, number>> {
  return Object.fromEntries([...Map.groupBy(list, nameOf)].map(([name, { length }]) => [name, length]));
}
