import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import { persistentFile, readPersistentFile } from "../../infra/node/store-folder/persistent-file.ts";
import { addPersistentFiles, restorePersistentFiles } from "../../infra/node/store-folder/restored-files.ts";

const PAGE = 4096;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-torn-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a restore that was killed while it changed the database is done by the next start", async () => {
  const torn = tornRestore(folder);
  restorePersistentFiles(torn);
  expect(readPersistentFile(torn, "soid")?.toString()).toBe("the soid");
  const executor = openSqlite(torn);
  const tables = await executor.read((db) => db.all("SELECT name FROM sqlite_schema WHERE name = 'kept_files'"));
  expect(tables).toEqual([]);
  executor.close();
});

/** A backup whose first page was changed already by the commit of a restore, with the journal that undoes it. */
function tornRestore(folder: string): string {
  persistentFile(folder, "soid", () => Buffer.from("the soid"));
  openSqlite(folder).close();
  const file = join(folder, "countersign.db");
  const backup = new DatabaseSync(file);
  backup.exec("PRAGMA journal_mode = DELETE");
  addPersistentFiles(backup, folder);
  const before = readFileSync(file);
  // What does not fit into the cache is written before the commit, and the journal before that.
  backup.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = 1; BEGIN IMMEDIATE");
  backup.exec("DROP TABLE kept_files; PRAGMA application_id = 0; CREATE TABLE large (content BLOB)");
  for (let i = 0; i < 100; i++) backup.exec("INSERT INTO large VALUES (zeroblob(8000))");
  const torn = join(folder, "torn");
  mkdirSync(torn);
  copyFileSync(`${file}-journal`, join(torn, "countersign.db-journal"));
  backup.exec("COMMIT");
  backup.close();
  writeFileSync(
    join(torn, "countersign.db"),
    Buffer.concat([readFileSync(file).subarray(0, PAGE), before.subarray(PAGE)]),
  );
  return torn;
}
