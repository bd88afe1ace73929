import type { AuditEvent } from "../../../../lib/stores/audit-log.ts";
import type { Journal, Made } from "../journal.ts";
import type { Taken } from "../upstream/moods.ts";

/** All that is known of a run. */
export interface Findings {
  readonly journal: Journal;
  /** What upstreams took, in their order. */
  readonly taken: readonly Taken[];
  /** Of tool calls and of resources that were read. */
  readonly records: readonly AuditEvent[];
  /** Calls that still had no result long after the torment. */
  readonly unrecovered: readonly string[];
  /** What the gateway logged as an error. */
  readonly logged: readonly string[];
  /** How often each thing has to have happened for the run to show anything. */
  readonly least: Readonly<Record<string, number>>;
}

/** Whether the gateway was dead at some time from the call's beginning on, until so long after its end, milliseconds. */
export function metKill({ from, to }: Pick<Made, "from" | "to">, { disturbances }: Journal, after = 0): boolean {
  return disturbances.some(
    (disturbance) =>
      disturbance.kind === "kill" &&
      disturbance.whom === "gateway" &&
      disturbance.from <= to + after &&
      disturbance.to >= from,
  );
}

/** In a few words, for a violation. */
export function describe({ nonce, what, app, agent, label, from, ending }: Made): string {
  const said = "text" in ending ? ending.text : "";
  return `${nonce} (${what} of ${app} for ${agent}/${label} at ${new Date(from).toISOString()}) ended: ${ending.kind} ${said}`.trim();
}
