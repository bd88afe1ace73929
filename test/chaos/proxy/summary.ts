import type { ChaosOptions } from "../options.ts";
import { activityOf } from "./judge/activity.ts";
import type { Findings } from "./judge/findings.ts";
import { RULES, type Violation } from "./judge/violation.ts";

/** Violations of one rule that are spelt out. */
const SHOWN = 20;

/** @param memory of the gateway over the run, MiB */
export function printSummary(
  { seconds, seed }: ChaosOptions,
  findings: Findings,
  memory: readonly number[],
  violations: readonly Violation[],
): void {
  const { journal, records } = findings;
  const longest = journal.calls.reduce((most, { from, to }) => Math.max(most, to - from), 0);
  const rows = [
    ...Object.entries(activityOf(findings)),
    ...errorTexts(findings),
    ["longest call, ms", longest],
    ["records", records.length],
    ["  that stay open", records.filter(({ outcome }) => outcome === "unknown").length],
    ["memory of the gateway, MiB, median", [...memory].sort((a, b) => a - b)[memory.length >> 1] ?? 0],
    ["memory of the gateway, MiB, most", memory.reduce((most, one) => Math.max(most, one), 0)],
    ["memory of the gateway, MiB, at the end", memory.at(-1) ?? 0],
  ] as const;
  for (const [what, count] of rows) console.log(`  ${what.padEnd(90)} ${String(count).padStart(8)}`);
  for (const rule of RULES) {
    const broken = violations.filter((violation) => violation.rule === rule);
    console.log(`  violations: ${rule.padEnd(78)} ${String(broken.length).padStart(8)}`);
    for (const { text } of broken.slice(0, SHOWN)) console.log(`    ${text}`);
  }
  console.log(`Chaos at the proxy: ${seconds} s, seed ${seed}: ${violations.length} violations.`);
}

/** What agents were told when there was no result. */
function errorTexts({ journal }: Findings): readonly (readonly [string, number])[] {
  const texts = journal.calls.flatMap(({ ending }) => {
    if (ending.kind === "error") return [`  error ${ending.status} ${ending.code} ${ending.text}`];
    return ending.kind === "failed_result" && !ending.isUpstreams ? [`  failed: ${ending.text}`] : [];
  });
  const counts = Map.groupBy(texts, (text) => text.slice(0, 90).replace(/\d+ s\b/, "N s"));
  return [...counts].map(([text, { length }]) => [text, length] as const);
}
