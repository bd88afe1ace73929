import { DatabaseSync } from "node:sqlite";
import type { Stored } from "./target.ts";

/** What the SQLite files hold together. Each may have any of the tables. */
export function storedTokens(files: readonly string[]): Stored {
  const all = files.map(readFile);
  return {
    tokenIds: all.flatMap(({ tokenIds }) => tokenIds),
    events: all.flatMap(({ events }) => events),
    undelivered: all.reduce((sum, { undelivered }) => sum + undelivered, 0),
  };
}

function readFile(file: string): Stored {
  const db = new DatabaseSync(file);
  try {
    const tables = new Set(
      db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .all()
        .map(({ name }) => name),
    );
    const read = (table: string, sql: string) => (tables.has(table) ? db.prepare(sql).all() : []);
    return {
      tokenIds: read("tokens", "SELECT json_extract(record, '$.tokenId') AS token FROM tokens").map(({ token }) =>
        String(token),
      ),
      events: read(
        "audit_events",
        `SELECT id, json_extract(record, '$.details.tokenId') AS token FROM audit_events WHERE type = 'token.issued'`,
      ).map(({ id, token }) => ({ id: String(id), tokenId: String(token) })),
      undelivered: read("outbox", "SELECT sequence FROM outbox").length,
    };
  } finally {
    db.close();
  }
}
