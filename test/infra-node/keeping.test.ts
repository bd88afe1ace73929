import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeSqlDatabase } from "../../infra/node/sqlite/database.ts";
import { type GroupCommit, groupCommit } from "../../infra/node/sqlite/group-commit.ts";
import { diskReserve, type Reserve } from "../../infra/node/sqlite/reserve.ts";
import { type Keeping, watchKeeping } from "../../infra/node/store-thread/keeping.ts";
import { eventually } from "../support/eventually.ts";

/** Pages of the database, and of the reserve. */
const PAGES = 40;
const RESERVED = 20;

let folder: string;
let connection: DatabaseSync;
let executor: GroupCommit;
let states: Keeping[];
let isWhole: boolean;
/** Whether the disk has room for the reserve. */
let hasRoom: boolean;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-keeping-"));
  connection = new DatabaseSync(join(folder, "countersign.db"));
  connection.exec("PRAGMA journal_mode = WAL; CREATE TABLE filled (bytes BLOB)");
  [states, isWhole, hasRoom] = [[], false, true];
  stopWatch = () => undefined;
});
afterEach(() => {
  stopWatch();
  executor.close();
  rmSync(folder, { recursive: true });
});

/** The database may have so many pages: SQLite answers a real SQLITE_FULL beyond. What the reserve gives up is added. */
const reserve: Reserve = {
  size: RESERVED * 4096,
  isWhole: () => isWhole,
  take: async () => {
    if (!hasRoom) return "no_room";
    isWhole = true;
    limit(PAGES);
    return "whole";
  },
  giveUp: () => {
    const had = isWhole;
    isWhole = false;
    if (had) limit(PAGES + RESERVED);
    return had;
  },
};
const limit = (pages: number) => connection.exec(`PRAGMA max_page_count = ${pages}`);
let watch: ReturnType<typeof watchKeeping>;
let stopWatch: () => void;

async function start(): Promise<void> {
  const failed = (error: unknown, attempts: number) => watch.failed(error, attempts);
  executor = groupCommit(nodeSqlDatabase(connection), { failed, committed: () => watch.committed() });
  watch = watchKeeping({
    reserve,
    size: () => Number(connection.prepare("PRAGMA page_count").get()?.page_count) * 4096,
    compact: () => undefined,
    probe: () => executor.write((db) => db.run("PRAGMA user_version = 0")),
    changed: (state) => states.push(state),
  });
  stopWatch = () => watch.stop();
  await watch.start();
}

const write = () => executor.write((db) => db.run("INSERT INTO filled VALUES (zeroblob(4000))"));

test("41. the write that finds the disk full is kept by the reserve; then only what ends something is admitted, half for what callers cause", async () => {
  await start();
  hasRoom = false;
  while (states.length === 0) await write();
  expect(states).toEqual([{ kept: false, reason: expect.stringContaining("database or disk is full") }]);
  const admitted = () => ({
    issue: watch.admits("tokens", "issue"),
    begin: watch.admits("auditLog", "begin"),
    append: watch.admits("auditLog", "append"),
    revoke: watch.admits("tokens", "revoke"),
  });
  expect(admitted()).toEqual({ issue: false, begin: false, append: true, revoke: true });
  for (let rows = 0; rows < RESERVED / 2; rows++) await write();
  expect(admitted()).toEqual({ issue: false, begin: false, append: false, revoke: true });
  // What is left of the reserve has an end as well: then it is refused, and nothing else happens.
  await expect(
    (async () => {
      for (;;) await write();
    })(),
  ).rejects.toThrow("database or disk is full");
  expect(states).toHaveLength(1);
});

test("41. it resumes by itself once there is room for the reserve and something is kept", async () => {
  hasRoom = false;
  await start();
  expect(states).toEqual([{ kept: false, reason: "there is no room on the disk for the reserve" }]);
  expect(watch.admits("tokens", "issue")).toBe(false);
  hasRoom = true;
  await eventually(
    async () => states.length,
    (count) => count === 2,
  );
  expect(states[1]).toEqual({ kept: true });
  expect([isWhole, watch.admits("tokens", "issue")]).toEqual([true, true]);
});

test("41. a store that is locked keeps admitting everything, and is kept again with the next commit", async () => {
  await start();
  watch.failed(Object.assign(new Error("database is locked"), { errcode: 5 }));
  expect(states).toEqual([{ kept: false, reason: "database is locked" }]);
  expect(watch.admits("tokens", "issue")).toBe(true);
  await write();
  expect(states[1]).toEqual({ kept: true });
});

const SEVERAL =
  "INSERT INTO filled SELECT zeroblob(4000) FROM (WITH RECURSIVE rows(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM rows WHERE n < 60) SELECT n FROM rows)";

test("41. room is made for the same writes twice at most, whatever making it seems to bring", async () => {
  let asked = 0;
  const always = () => ++asked > 0;
  executor = groupCommit(nodeSqlDatabase(connection), { failed: always });
  limit(PAGES);
  await expect(executor.write((db) => db.run(SEVERAL))).rejects.toThrow("database or disk is full");
  expect(asked).toBe(2);
});

test("41. writes that are tried again when room was made have happened once", async () => {
  connection.exec("CREATE TABLE kept (name TEXT NOT NULL)");
  const makeRoom = () => {
    limit(10 * PAGES);
    return true;
  };
  executor = groupCommit(nodeSqlDatabase(connection), { failed: makeRoom });
  limit(PAGES);
  const insert = (name: string) => executor.write((db) => db.run("INSERT INTO kept VALUES (?)", name));
  await Promise.all([insert("before"), executor.write((db) => db.run(SEVERAL)), insert("behind")]);
  expect(connection.prepare("SELECT name FROM kept").all()).toEqual([{ name: "before" }, { name: "behind" }]);
});

test("the reserve is a file of this user's only, which is completed when it was begun, and goes when it is given up", async () => {
  await start();
  const file = join(folder, "countersign.reserve");
  writeFileSync(file, "begun", { mode: 0o600 });
  const disk = diskReserve(folder);
  expect(await disk.take()).toBe("whole");
  const { size, mode } = statSync(file);
  expect([size, mode & 0o777]).toEqual([disk.size, 0o600]);
  expect(disk.giveUp()).toBe(true);
  expect([disk.giveUp(), disk.isWhole()]).toEqual([false, false]);
});
