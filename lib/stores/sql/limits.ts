import { type KeptCount, type Lease, type LeaseRequest, type LIMITS, leased } from "../limits.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";
import { type SqlOperations, write } from "./operations.ts";

export const sqlLimits: SqlOperations<typeof LIMITS> = {
  lease: write(lease),
};

export function lease(db: SqlDatabase, request: LeaseRequest): Lease {
  return db.transaction(() => {
    const [row] = db.all("SELECT value, expires_at FROM limits WHERE key = ?", request.key);
    const before: KeptCount | undefined = row && { value: Number(row.value), expiresAt: Number(row.expires_at) };
    const { kept, lease: answer } = leased(before, request);
    if (answer.granted === 0) return answer;
    db.run(
      `INSERT INTO limits (key, value, expires_at, schema) VALUES (?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at, schema = excluded.schema`,
      request.key,
      kept.value,
      kept.expiresAt,
      RECORD_SCHEMA,
    );
    return answer;
  });
}
