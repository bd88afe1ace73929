import type { Dependencies } from "../dependencies.ts";
import type { LastHour } from "../management/schemas/overview.ts";
import type { AuditEventType, AuditOutcome, AuditTally } from "../stores/audit-log.ts";

/** Milliseconds; the last one is not over yet. */
const INTERVAL = 300_000;
const INTERVALS = 12;
const TYPES: readonly AuditEventType[] = ["tool.invoked", "token.issued", "token.exchanged", "token.refused"];

/** Tool calls and token requests of an organization in the last hour. Calls that are open count as neither. */
export async function readLastHour(
  { stores, clock }: Pick<Dependencies, "stores" | "clock">,
  organizationId: string,
): Promise<LastHour> {
  const to = (Math.floor(clock.now() / INTERVAL) + 1) * INTERVAL;
  const from = to - INTERVALS * INTERVAL;
  const tally = await stores.auditLog.tally({ organizationId, types: TYPES, from, to, interval: INTERVAL });
  const starts = Array.from({ length: INTERVALS }, (_, index) => from + index * INTERVAL);
  return {
    from: new Date(from).toISOString(),
    interval: INTERVAL / 1000,
    isComplete: tally.complete,
    toolCalls: starts.map((start) => ({
      start: new Date(start).toISOString(),
      succeeded: counted(tally, start, ["tool.invoked"], (outcome) => outcome === "success"),
      failed: counted(tally, start, ["tool.invoked"], (outcome) => outcome !== "success" && outcome !== "unknown"),
    })),
    tokenRequests: starts.map((start) => ({
      start: new Date(start).toISOString(),
      issued: counted(tally, start, ["token.issued", "token.exchanged"], (outcome) => outcome === "success"),
      refused: counted(tally, start, TYPES.slice(1), (outcome) => outcome !== "success"),
    })),
  };
}

function counted(
  { counts }: AuditTally,
  start: number,
  types: readonly AuditEventType[],
  matches: (outcome: AuditOutcome) => boolean,
): number {
  return counts
    .filter((count) => count.start === start && types.includes(count.type) && matches(count.outcome))
    .reduce((sum, { count }) => sum + count, 0);
}
