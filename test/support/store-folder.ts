import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../../infra/node/sqlite/open.ts";

const DATABASE = "countersign.db";
let empty: Buffer | undefined;

/**
 * A folder of its own with an embedded store that nobody has written to. Its tables were made once in this process: making
 * them takes seven times as long as all else that a new store needs.
 */
export function newStoreFolder(): string {
  empty ??= emptyDatabase();
  const folder = newFolder();
  writeFileSync(join(folder, DATABASE), empty, { mode: 0o600 });
  return folder;
}

function emptyDatabase(): Buffer {
  const folder = newFolder();
  openSqlite(folder).close();
  const database = readFileSync(join(folder, DATABASE));
  rmSync(folder, { recursive: true });
  return database;
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "countersign-store-"));
}
