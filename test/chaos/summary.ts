import { activityOf } from "./judge/activity.ts";
import type { History } from "./judge/history.ts";
import { refusalCounts } from "./judge/refusals.ts";
import { RULES, type Violation } from "./judge/violation.ts";
import type { ChaosOptions } from "./options.ts";
import type { Target } from "./target.ts";
import type { TormentCounts } from "./torment.ts";

export interface Outcome {
  readonly target: Target;
  readonly options: ChaosOptions;
  readonly counts: TormentCounts;
  readonly history: History;
  readonly violations: readonly Violation[];
}

/** Violations of one rule that are spelt out. */
const SHOWN = 20;

/** Disturbances that the server's tormentor counts in more detail. */
const COUNTED_ELSEWHERE: readonly string[] = ["kill", "start"];

/** A table of what was done and seen, and a closing line. */
export function printSummary(outcome: Outcome): void {
  const { target, options, violations } = outcome;
  for (const [what, count] of rows(outcome)) console.log(`  ${what.padEnd(52)} ${String(count).padStart(8)}`);
  for (const rule of RULES) {
    const broken = violations.filter((violation) => violation.rule === rule);
    console.log(`  violations: ${rule.padEnd(40)} ${String(broken.length).padStart(8)}`);
    for (const { text } of broken.slice(0, SHOWN)) console.log(`    ${text}`);
  }
  const { length } = violations;
  console.log(`Chaos on ${target.name}: ${options.seconds} s, seed ${options.seed}: ${length} violations.`);
}

function rows({ target, options, counts, history }: Outcome): readonly (readonly [string, number])[] {
  const { exchanges } = history.journal;
  const count = (isIt: (exchange: (typeof exchanges)[number]) => boolean) => exchanges.filter(isIt).length;
  return [
    ["seconds", options.seconds],
    ["kills (SIGKILL)", counts.kills],
    ["  right after a burst", counts.killsAfterBurst],
    ["  before the server was ready", counts.killsAtStart],
    ...(target.delicateMoment === undefined ? [] : [["  in a checkpoint", counts.killsInMidWrite] as const]),
    ...(target.objectsStarted === undefined ? [] : [["objects that came to life", target.objectsStarted()] as const]),
    ["requests", exchanges.length],
    ["  that met no server", count(({ loss }) => loss === "unsent")],
    ["  whose answer was lost", count(({ loss }) => loss === "cut_off")],
    ["  answered 5xx", count(({ status = 0 }) => status >= 500)],
    ...failures(history),
    ...Object.entries(activityOf(history)).filter(([what]) => !COUNTED_ELSEWHERE.includes(what)),
    ...[...refusalCounts(history)].sort().map(([refusal, times]) => [`refused, ${refusal}`, times] as const),
  ];
}

/** Answers 5xx by what was asked for. Those that nothing excuses are violations. */
function failures({ journal }: History): readonly (readonly [string, number])[] {
  const failed = journal.exchanges.filter(({ status = 0 }) => status >= 500);
  const byKind = Map.groupBy(failed, ({ operation, status }) => `    ${status} for ${operation.kind}`);
  return [...byKind].map(([what, { length }]) => [what, length]);
}
