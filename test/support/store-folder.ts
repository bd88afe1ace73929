import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
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
  return mkdtempSync(join(parent, "countersign-store-"));
}

/**
 * A file system in memory, where this machine has one with room: on a disk the store waits at each commit, and no test of
 * one process can tell whether that has kept anything. Servers that are started, and killed, have their stores on the disk.
 */
const MEMORY = "/dev/shm";
const ROOM = 1024 ** 3;
const parent = existsSync(MEMORY) && roomIn(MEMORY) > ROOM ? MEMORY : tmpdir();

function roomIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
