import type { AuditTally } from "../stores/audit-log.ts";

type Count = AuditTally["counts"][number];

/** Tallies of different records as one, in order of time. Complete when all are. */
export function addTallies(tallies: readonly AuditTally[]): AuditTally {
  const sums = new Map<string, Count>();
  for (const count of tallies.flatMap(({ counts }) => counts)) {
    const key = `${count.start} ${count.type} ${count.outcome}`;
    sums.set(key, { ...count, count: count.count + (sums.get(key)?.count ?? 0) });
  }
  const counts = [...sums.values()].sort((one, other) => one.start - other.start);
  return { counts, complete: tallies.every(({ complete }) => complete) };
}
