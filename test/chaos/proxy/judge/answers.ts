import type { Made } from "../journal.ts";
import { describe, type Findings, metKill } from "./findings.ts";
import { keyOfCall, keyOfRecord } from "./records.ts";
import type { Violation } from "./violation.ts";

/**
 * Each call ends in its own result or in an error. Connections may break where the gateway was killed, and where an upstream
 * broke off a long answer whose JSON had begun: its record says so.
 */
export function judgeAnswers({ journal, taken, records }: Findings): readonly Violation[] {
  const failed = new Set(records.filter(({ outcome }) => outcome === "upstream_error").map(keyOfRecord));
  const mayBreak = (call: Made) => metKill(call, journal) || (isLong(call) && failed.has(keyOfCall(call)));
  const times = Map.groupBy(
    taken.filter(({ nonce }) => nonce !== undefined),
    ({ nonce }) => nonce,
  );
  const unclear = journal.calls
    .filter((call) => !isClear(call) && !(isBroken(call) && mayBreak(call)))
    .map((call) => ({ rule: "a call without a result or a clear error", text: describe(call) }) as const);
  const carriedOut = journal.calls.flatMap((call) => {
    const each = times.get(call.nonce) ?? [];
    const isDone = call.ending.kind === "result" || (call.ending.kind === "failed_result" && call.ending.isUpstreams);
    const isNeeded = isDone && !call.what.startsWith("list_");
    if (each.length <= 1 && each.every(({ app }) => app === call.app) && (each.length === 1 || !isNeeded)) return [];
    const where = each.map(({ app, session }) => `${app} in ${session}`).join(", ") || "nobody";
    return [{ rule: "a call carried out twice, elsewhere or never", text: `by ${where}: ${describe(call)}` } as const];
  });
  return [...unclear, ...carriedOut];
}

function isClear({ ending, what }: Made): boolean {
  // The upstream breaks off in the middle of it.
  if (ending.kind === "result") return what !== "half" && what !== "grumble";
  return ending.kind === "failed_result" || ending.kind === "error" || ending.kind === "left";
}

function isLong({ what }: Made): boolean {
  return what === "big" || what === "half";
}

function isBroken({ ending }: Made): boolean {
  return ending.kind === "lost" || ending.kind === "unsent";
}
