import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { Taken } from "./upstream/moods.ts";

/** What upstreams took, in their order. A line that a kill cut short was not acted upon. */
export function takenBy(logFiles: readonly string[]): readonly Taken[] {
  return logFiles
    .filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, "utf8").split("\n").flatMap(readLine));
}

function readLine(line: string): readonly Taken[] {
  if (!line.endsWith("}")) return [];
  return [JSON.parse(line) as Taken];
}

/** Records of what agents asked upstreams for. */
export function recordsIn(database: string): readonly AuditEvent[] {
  const db = new DatabaseSync(database);
  try {
    return db
      .prepare("SELECT record FROM audit_events WHERE type IN ('tool.invoked', 'resource.read') ORDER BY id")
      .all()
      .map(({ record }) => JSON.parse(String(record)) as AuditEvent);
  } finally {
    db.close();
  }
}
