import { IDLING, type Target } from "../target.ts";
import { type History, isAcknowledged, isSuccess } from "./history.ts";
import type { Violation } from "./violation.ts";

/** How often each thing happened that a rule is about. What never happened breaks no rule and shows nothing. */
export type Activity = Readonly<Record<string, number>>;

/** What was tried, and from what the driver knows that it had its effect. */
export function activityOf(history: History): Activity {
  const acknowledged = (kind: "add_key" | "revoke_key" | "change_grants" | "revoke_token") =>
    history.of(kind).filter(({ status }) => isSuccess(status)).length;
  return {
    "tokens issued": history.issued.length,
    "tokens revoked": acknowledged("revoke_token"),
    introspections: history.of("introspect").length,
    "replays tried": replays(history),
    "keys added": acknowledged("add_key"),
    "keys revoked": acknowledged("revoke_key"),
    "grants changed": acknowledged("change_grants"),
    "clients deleted": deletions(history, false),
    "clients deleted with their tokens": deletions(history, true),
    ...disturbances(history),
  };
}

/**
 * What a run of so many seconds has to have done at least. A tenth of what it does on a small machine: less than that
 * is a driver that does not drive; in ten seconds not everything need have had its turn.
 */
export function leastActivity(seconds: number, target: Pick<Target, "troubles" | "idleTime">): Activity {
  const oneIn = (period: number) => Math.floor(seconds / period);
  return {
    "tokens issued": 10 * seconds,
    "tokens revoked": seconds,
    introspections: 10 * seconds,
    "replays tried": 5 * seconds,
    "keys added": oneIn(5),
    "keys revoked": oneIn(5),
    "grants changed": oneIn(5),
    "clients deleted": oneIn(30),
    "clients deleted with their tokens": oneIn(30),
    // The last restart is one of them.
    kill: 1 + oneIn(20),
    ...Object.fromEntries(target.troubles.map(({ kind }) => [kind, Math.min(1, oneIn(30))])),
    ...(target.idleTime !== undefined && { [IDLING]: Math.min(1, oneIn(120)) }),
  };
}

/** A run in which too little happened to find anything. */
export function judgeActivity(history: History, least: Activity): readonly Violation[] {
  const activity = activityOf(history);
  return Object.entries(least)
    .filter(([what, times]) => (activity[what] ?? 0) < times)
    .map(([what, times]) => ({
      rule: "nothing was tried",
      text: `${what}: ${activity[what] ?? 0}, where a run of this length has ${times} at least`,
    }));
}

/** By what was done to the server. Kills before its first start are part of that start. */
function disturbances({ journal }: History): Activity {
  const byKind = Map.groupBy(journal.disturbances, ({ kind }) => kind);
  return Object.fromEntries([...byKind].map(([kind, { length }]) => [kind, length]));
}

/** Presentations of an assertion, or of another with its `jti`, after the first. */
function replays({ assertions }: History): number {
  return assertions.length - new Set(assertions.map(({ assertion }) => `${assertion.client} ${assertion.jti}`)).size;
}

function deletions(history: History, revokeTokens: boolean): number {
  const asked = history.of("delete_client").filter(({ operation }) => operation.revokeTokens === revokeTokens);
  return new Set(asked.filter(isAcknowledged).map(({ operation }) => operation.client)).size;
}
