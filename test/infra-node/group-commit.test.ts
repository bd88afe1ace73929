import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeSqlDatabase } from "../../infra/node/sqlite/database.ts";
import { type GroupCommit, groupCommit } from "../../infra/node/sqlite/group-commit.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";

/** Milliseconds: long enough for several attempts. */
const PATIENCE = 500;

let folder: string;
let executor: GroupCommit;
let other: DatabaseSync;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-group-"));
  const file = join(folder, "group.db");
  const connection = new DatabaseSync(file, { timeout: 50 });
  connection.exec("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON");
  connection.exec("CREATE TABLE parents (id INTEGER PRIMARY KEY)");
  connection.exec(
    "CREATE TABLE numbers (n INTEGER UNIQUE, parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)",
  );
  executor = groupCommit(nodeSqlDatabase(connection), { lockTimeout: PATIENCE });
  other = new DatabaseSync(file, { timeout: 50 });
});

afterEach(() => {
  executor.close();
  other.close();
  rmSync(folder, { recursive: true });
});

const insert = (n: number) => executor.write((db) => insertNumber(db, n));
const insertOrphan = (n: number) => executor.write((db) => db.run("INSERT INTO numbers VALUES (?, 1)", n));
/** What another connection sees: committed numbers only. */
const committed = () =>
  other
    .prepare("SELECT n FROM numbers ORDER BY n")
    .all()
    .map((row) => row.n);

test("writes of one turn are committed together, and a failing one undoes only itself", async () => {
  const outcomes = await Promise.allSettled([
    insert(1),
    executor.write((db) => {
      insertNumber(db, 2);
      throw new Error("changed my mind");
    }),
    insert(3),
    insert(1),
    insert(4),
  ]);
  expect(outcomes.map((outcome) => outcome.status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  expect(committed()).toEqual([1, 3, 4]);
});

test("no write of a group settles before the commit", async () => {
  const seen: number[] = [];
  const writes = [1, 2, 3].map((n) => insert(n).then(() => seen.push(committed().length)));
  await Promise.all(writes);
  expect(seen).toEqual([3, 3, 3]);
});

test("a failing commit rejects every write of the group, and the next group works", async () => {
  const outcomes = await Promise.allSettled([insert(1), insertOrphan(2), insert(3)]);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(committed()).toEqual([]);
  await insert(4);
  expect(committed()).toEqual([4]);
});

test("a group that cannot get the write lock waits for it without holding up reads, and runs once", async () => {
  await insert(1);
  other.exec("BEGIN IMMEDIATE");
  const runs: number[] = [];
  const write = (n: number) =>
    executor.write((db) => {
      runs.push(n);
      insertNumber(db, n);
    });
  let settled = false;
  const first = write(2).finally(() => {
    settled = true;
  });
  // The first attempt is behind each of these.
  await setImmediate();
  const later = write(3);
  for (let i = 0; i < 3; i++) {
    await setImmediate();
    expect(await executor.read(count)).toBe(1);
  }
  expect(settled).toBe(false);
  other.exec("ROLLBACK");
  await Promise.all([first, later]);
  expect(runs).toEqual([2, 3]);
  expect(committed()).toEqual([1, 2, 3]);
});

test("a group that cannot get the write lock for too long rejects, and the next works once the lock is free", async () => {
  other.exec("BEGIN IMMEDIATE");
  const start = performance.now();
  await expect(insert(1)).rejects.toThrow("locked");
  expect(performance.now() - start).toBeGreaterThanOrEqual(PATIENCE);
  other.exec("ROLLBACK");
  await insert(2);
  expect(committed()).toEqual([2]);
});

test("a write that gives up leaves a younger one of its group waiting", async () => {
  other.exec("BEGIN IMMEDIATE");
  const old = insert(1);
  const start = performance.now();
  while (performance.now() - start < PATIENCE / 2) await setImmediate();
  const young = insert(2);
  await expect(old).rejects.toThrow("locked");
  other.exec("ROLLBACK");
  await young;
  expect(committed()).toEqual([2]);
});

test("a read that meets a lock on the whole database waits for it, and rejects in the end", async () => {
  const file = join(folder, "locked.db");
  const connection = new DatabaseSync(file, { timeout: 0 });
  connection.exec("CREATE TABLE numbers (n)");
  const reader = groupCommit(nodeSqlDatabase(connection), { lockTimeout: PATIENCE });
  const locker = new DatabaseSync(file);
  locker.exec("BEGIN EXCLUSIVE");
  await expect(reader.read(count)).rejects.toThrow("locked");
  const waiting = reader.read(count);
  await setImmediate();
  locker.exec("ROLLBACK");
  expect(await waiting).toBe(0);
  reader.close();
  locker.close();
});

test("closing while another connection holds the write lock waits no longer than a write does", async () => {
  other.exec("BEGIN IMMEDIATE");
  const queued = insert(1);
  const refused = expect(queued).rejects.toThrow("locked");
  executor.close();
  await refused;
  other.exec("ROLLBACK");
  expect(committed()).toEqual([]);
});

test("a nested transaction that fails leaves what was done around it", async () => {
  await executor.write((db) => {
    insertNumber(db, 1);
    try {
      db.transaction(() => {
        insertNumber(db, 2);
        throw new Error("inner");
      });
    } catch (error) {
      expect(String(error)).toContain("inner");
    }
    insertNumber(db, 3);
  });
  expect(committed()).toEqual([1, 3]);
});

test("a read sees one state although another connection writes in between", async () => {
  await insert(1);
  const counts = await executor.read((db) => {
    const before = count(db);
    other.exec("INSERT INTO numbers (n) VALUES (99)");
    return [before, count(db)];
  });
  expect(counts).toEqual([1, 1]);
  expect(committed()).toEqual([1, 99]);
});

test("closing commits what is queued and refuses what comes later", async () => {
  const queued = insert(1);
  executor.close();
  await queued;
  expect(committed()).toEqual([1]);
  await expect(insert(2)).rejects.toThrow("closed");
  await expect(executor.read(count)).rejects.toThrow("closed");
});

function insertNumber(db: SqlDatabase, n: number): void {
  db.run("INSERT INTO numbers (n) VALUES (?)", n);
}

function count(db: SqlDatabase): number {
  return Number(db.all("SELECT count(*) AS n FROM numbers")[0]?.n);
}
