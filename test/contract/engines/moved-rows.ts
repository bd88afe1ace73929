import { DatabaseSync } from "node:sqlite";
import type { ConnectionKey } from "../../../lib/stores/connections.ts";

/** Copies a connection's record over another's in SQLite files, of which one has the former and one, maybe the same, the latter. */
export function moveConnectionRow(files: readonly string[], from: ConnectionKey, to: ConnectionKey): void {
  const databases = files.map((file) => new DatabaseSync(file)).filter(hasConnections);
  const record = databases.map((db) => db.prepare(`SELECT record ${OF}`).get(...valuesOf(from))?.record).find(Boolean);
  if (record === undefined) throw new Error("nothing is stored of the connection that is to be moved");
  const changed = databases.map((db) =>
    db.prepare(`UPDATE connections SET record = ? WHERE ${KEY}`).run(record, ...valuesOf(to)),
  );
  for (const db of databases) db.close();
  if (changed.every(({ changes }) => changes === 0)) throw new Error("there is no row to move it to");
}

const KEY = "organization_id = ? AND person = ? AND app = ? AND agent = ?";
const OF = `FROM connections WHERE ${KEY}`;

function valuesOf({ organizationId, person, app, agent }: ConnectionKey): [string, string, string, string] {
  return [organizationId, person, app, agent];
}

function hasConnections(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'connections'").get() !== undefined;
}
