import { addTallies } from "../../../lib/audit/add-tallies.ts";
import type { AuditTally, AuditTallyRequest } from "../../../lib/stores/audit-log.ts";
import { newestFirst } from "./audit-query.ts";
import type { Database } from "./database.ts";

/** Each hundred of them is a read of its own. */
const MAX_EXAMINED = 3_000;

/** Counts the newest records of the time. */
export async function tallyAuditLog(database: Database, request: AuditTallyRequest): Promise<AuditTally> {
  const { organizationId, types, from, to, interval } = request;
  const single: AuditTally[] = [];
  let examined = 0;
  for await (const { time, type, outcome } of newestFirst(database, { organizationId, from, to }, undefined)) {
    if (time < from) break;
    if (examined++ === MAX_EXAMINED) return { ...addTallies(single), complete: false };
    if (time >= to || !types.includes(type)) continue;
    const start = from + Math.floor((time - from) / interval) * interval;
    single.push({ counts: [{ start, type, outcome, count: 1 }], complete: true });
  }
  return addTallies(single);
}
