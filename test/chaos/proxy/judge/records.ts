import { argumentsDigest } from "../../../../lib/kernel/arguments-digest.ts";
import type { AuditEvent, AuditOutcome } from "../../../../lib/stores/audit-log.ts";
import { CALL_LIMIT } from "../agent.ts";
import type { Made } from "../journal.ts";
import { describe, type Findings, metKill } from "./findings.ts";
import type { Violation } from "./violation.ts";

const RULE = "a record too few, too many or wrong";

/** Exactly one record of each call that was answered, which tells of it; one at most of those that a kill cut off. */
export function judgeRecords({ journal, records }: Findings): readonly Violation[] {
  const byCall = Map.groupBy(records, keyOfRecord);
  const calls = journal.calls.filter(({ what }) => !what.startsWith("list_"));
  const known = new Set(calls.map(keyOfCall));
  const foreign = [...byCall].filter(([key]) => !known.has(key)).flatMap(([, each]) => each);
  const wrong = calls.flatMap((call) => {
    const each = byCall.get(keyOfCall(call)) ?? [];
    const isAnswered = call.ending.kind !== "left" && call.ending.kind !== "lost" && call.ending.kind !== "unsent";
    const problems = [
      ...(each.length > 1 || (isAnswered && each.length === 0) ? [`${each.length} records`] : []),
      ...each.flatMap((record) => problemsOf(record, call, metKill(call, journal, CALL_LIMIT))),
    ];
    return problems.map((problem) => `${problem}: ${describe(call)}`);
  });
  return [...wrong, ...foreign.map((record) => `of no call: ${JSON.stringify(record)}`)].map((text) => ({
    rule: RULE,
    text,
  }));
}

/** @param mayBeOpen the gateway was killed before it can have written what became of the call */
function problemsOf(record: AuditEvent, call: Made, mayBeOpen: boolean): readonly string[] {
  const { outcome, user, agent, app } = record;
  const principal = `${user}/${agent}`;
  const accepted = outcomesOf(call, mayBeOpen);
  return [
    ...(accepted.includes(outcome) ? [] : [`outcome ${outcome} (${record.reason}), not ${accepted.join(" or ")}`]),
    ...(principal === call.principal ? [] : [`recorded for ${principal}`]),
    ...(app === call.app ? [] : [`recorded at ${app}`]),
  ];
}

function outcomesOf({ ending }: Made, mayBeOpen: boolean): readonly AuditOutcome[] {
  if (ending.kind === "result") return ["success"];
  if (ending.kind === "failed_result") return [ending.isUpstreams ? "tool_error" : "upstream_error"];
  if (ending.kind === "error") return ["upstream_error"];
  // Nobody heard how it ended.
  return ["success", "tool_error", "upstream_error", "cancelled", ...(mayBeOpen ? (["unknown"] as const) : [])];
}

/** What the record of a call is found by. */
export function keyOfCall({ nonce, label, what }: Made): string {
  return what === "read" ? nonce : argumentsDigest({ nonce, label });
}

export function keyOfRecord({ argumentsDigest: digest, details }: AuditEvent): string {
  return digest ?? /^note:\/\/([^/]+)/.exec(details?.resource ?? "")?.[1] ?? "";
}
