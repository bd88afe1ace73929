import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import { restorePersistentFiles } from "../../infra/node/store-folder/restored-files.ts";

const PAGE = 4096;
const ROWS = 2_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-torn-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a store that was killed while its log was copied into the database opens with everything", async () => {
  tearCheckpoint(folder);
  restorePersistentFiles(folder);
  const executor = openSqlite(folder);
  const [row] = await executor.read((db) => db.all("SELECT COUNT(*) AS count FROM tokens"));
  expect(row?.count).toBe(ROWS);
  executor.close();
});

/** Page 1, which counts the pages, has reached the database; all others are in the log only. */
function tearCheckpoint(folder: string): void {
  const file = join(folder, "countersign.db");
  openSqlite(folder).close();
  const writer = new DatabaseSync(file);
  writer.exec("PRAGMA wal_autocheckpoint = 0; BEGIN");
  const insert = writer.prepare("INSERT INTO tokens (hash, expires_at, record, schema) VALUES (?, 1, ?, 1)");
  for (let i = 0; i < ROWS; i++) insert.run(`hash ${i}`, "x".repeat(500));
  writer.exec("COMMIT");
  const before = readFileSync(file);
  copyFileSync(`${file}-wal`, `${file}-wal.kept`);
  writer.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const after = readFileSync(file);
  writer.close();
  writeFileSync(file, Buffer.concat([after.subarray(0, PAGE), before.subarray(PAGE)]));
  copyFileSync(`${file}-wal.kept`, `${file}-wal`);
}
