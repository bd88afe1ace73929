import type { AuditEvent } from "../audit-log.ts";
import {
  type BundlePiece,
  type DEPLOYMENTS,
  type DeploymentRecord,
  type InstanceRecord,
  MOST_INSTANCES,
  NO_DEPLOYMENT,
} from "../deployments.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";
import { change, type Effects, latest, type SqlOperations, write } from "./operations.ts";

export const sqlDeployments: SqlOperations<typeof DEPLOYMENTS> = {
  readDeployment: latest(readDeployment),
  replaceDeployment: change(replaceDeployment, (isReplaced) => isReplaced),
  keepPiece: write(keepPiece),
  piece: latest(piece),
  dropPieces: write(dropPieces),
  tellInstance: write(tellInstance),
  instances: latest(instances),
};

function readDeployment(db: SqlDatabase): DeploymentRecord {
  const [row] = db.all("SELECT record FROM deployment");
  return row === undefined ? NO_DEPLOYMENT : (JSON.parse(String(row.record)) as DeploymentRecord);
}

function replaceDeployment(
  db: SqlDatabase,
  effects: Effects,
  record: DeploymentRecord,
  events: readonly AuditEvent[],
): boolean {
  return db.transaction(() => {
    if (readDeployment(db).version !== record.version - 1) return false;
    db.run(
      `INSERT INTO deployment (id, version, record, schema) VALUES (1, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET version = excluded.version, record = excluded.record, schema = excluded.schema`,
      ...[record.version, JSON.stringify(record), RECORD_SCHEMA],
    );
    for (const event of events) effects.event(event);
    return true;
  });
}

function keepPiece(db: SqlDatabase, { bundle, number, text }: BundlePiece): void {
  db.run(
    "INSERT INTO deployment_pieces (bundle, number, text, schema) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    ...[bundle, number, text, RECORD_SCHEMA],
  );
}

function piece(db: SqlDatabase, bundle: string, number: number): BundlePiece | undefined {
  const [row] = db.all("SELECT text FROM deployment_pieces WHERE bundle = ? AND number = ?", bundle, number);
  return row && { bundle, number, text: String(row.text) };
}

function dropPieces(db: SqlDatabase, bundle: string, count: number): void {
  db.run("DELETE FROM deployment_pieces WHERE bundle = ? AND number < ?", bundle, count);
}

function tellInstance(db: SqlDatabase, instance: InstanceRecord): void {
  const { id, seenAt, expiresAt } = instance;
  db.transaction(() => {
    db.run(
      `INSERT INTO deployment_instances (id, seen_at, expires_at, record, schema) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, expires_at = excluded.expires_at,
         record = excluded.record, schema = excluded.schema`,
      ...[id, seenAt, expiresAt, JSON.stringify(instance), RECORD_SCHEMA],
    );
    db.run("DELETE FROM deployment_instances WHERE expires_at <= ?", seenAt);
    db.run(
      "DELETE FROM deployment_instances WHERE id NOT IN (SELECT id FROM deployment_instances ORDER BY seen_at DESC LIMIT ?)",
      MOST_INSTANCES,
    );
  });
}

function instances(db: SqlDatabase, now: number): readonly InstanceRecord[] {
  const sql = "SELECT record FROM deployment_instances WHERE expires_at > ? ORDER BY seen_at DESC, id LIMIT ?";
  return db.all(sql, now, MOST_INSTANCES).map(({ record }) => JSON.parse(String(record)) as InstanceRecord);
}
