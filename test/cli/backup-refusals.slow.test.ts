import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorkplace, type Finished, type Workplace } from "./countersign.ts";
import { createClient } from "./token-load.ts";

const LARGE = 64 * 1024 * 1024;

let at: Workplace;
let file: string;
let clientId: string;
beforeAll(async () => {
  at = await createWorkplace();
  ({ clientId } = await createClient(at, "kept"));
  file = join(at.folder, "backup.db");
  expect((await at.countersign("backup", "-out", file)).code).toBe(0);
});
afterAll(() => at?.remove());

describe("countersign backup", () => {
  test("never overwrites a file", async () => {
    const before = readFileSync(file);
    const run = await at.countersign("backup", "-out", file);
    expect(run).toEqual({
      code: 2,
      stdout: "",
      stderr: `${file} exists already and is not overwritten.\n`,
    });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("says where it cannot write", async () => {
    expectOneLine(await at.countersign("backup", "-out", "/proc/backup.db"), /^\/proc\/backup\.db cannot be written: /);
    const missing = join(at.folder, "missing", "backup.db");
    expectOneLine(await at.countersign("backup", "-out", missing), /cannot be written: no such file or folder\.$/);
    expectOneLine(await at.countersign("backup"), /^-out FILE is required\.$/);
  });

  test("makes no store where there is none", async () => {
    const empty = await createWorkplace();
    const out = join(empty.folder, "backup.db");
    expectOneLine(await empty.countersign("backup", "-out", out), /^There is no store in /);
    expect([existsSync(out), existsSync(empty.store)]).toEqual([false, false]);
    empty.remove();
  });

  test("does not pass off another product's database as a store's", async () => {
    const other = await withDatabase(foreignDatabase);
    expectOneLine(await backUp(other), /is a database of something else/);
    other.remove();
  });

  test("does not pass on damage of the store", async () => {
    const damaged = await withDatabase((database) => {
      copyFileSync(join(at.store, "countersign.db"), database);
      overwritePage(database, 3);
    });
    expectOneLine(await backUp(damaged), /cannot be copied|is not usable/);
    damaged.remove();
  });

  test("leaves nothing behind where a disk is full", async () => {
    const folder = mkdtempSync(join(at.folder, "full-"));
    const command = `ulimit -f 64; exec "$0" "$@"`;
    const cli = join(import.meta.dirname, "../../infra/node/cli.ts");
    const args = [cli, "backup", "-config", at.config, "-out", join(folder, "backup.db")];
    const child = spawn("sh", ["-c", command, process.execPath, ...args], { stdio: ["ignore", "ignore", "pipe"] });
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    const [code] = await once(child, "close");
    expectOneLine({ code, stdout: "", stderr }, /cannot be copied: /);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("that %s ends half-way leaves no backup", async (signal) => {
    const large = await withDatabase((database) => {
      copyFileSync(join(at.store, "countersign.db"), database);
      enlarge(database);
    });
    const folder = mkdtempSync(join(large.folder, "out-"));
    const child = large.start("backup", "-out", join(folder, "backup.db"));
    const exited = once(child, "exit");
    while (readdirSync(folder).length === 0) await turn();
    child.kill(signal);
    expect(await exited).toEqual([null, signal]);
    // Nothing that is killed outright can tidy up; what it leaves does not have the name of a backup.
    expect(readdirSync(folder).filter((name) => signal !== "SIGKILL" || !name.includes(".partial"))).toEqual([]);
    large.remove();
  });
});

describe("starting", () => {
  test.each([
    ["a backup that was cut off", (database: string) => truncateSync(database, 40_000), /malformed|damaged/],
    ["a damaged backup", (database: string) => overwritePage(database, 3), /malformed|damaged/],
    [
      "a file that is no database",
      (database: string) => writeFileSync(database, "none\n".repeat(900)),
      /not a database/,
    ],
  ])("on %s is refused in one line and makes no files", async (_, damage, reason) => {
    const place = await withDatabase((database) => {
      copyFileSync(file, database);
      damage(database);
    });
    const start = place.start();
    expectOneLine(await finished(start), reason);
    expect(readdirSync(place.store)).toEqual(["countersign.db"]);
    place.remove();
  });

  test("on another product's database is refused, and the database is left as it was", async () => {
    const place = await withDatabase(foreignDatabase);
    const database = join(place.store, "countersign.db");
    const before = readFileSync(database);
    expectOneLine(await finished(place.start()), /is a database of something else/);
    expect(readFileSync(database).equals(before)).toBe(true);
    place.remove();
  });

  test.each([
    ["client-id.key", "x".repeat(32)],
    ["soid", "another-instance"],
    ["countersign.db-wal", "the log of a database that was here"],
  ])("on a backup beside another store's %s is refused, and works in an empty folder", async (name, content) => {
    const place = await withDatabase((database) => copyFileSync(file, database));
    writeFileSync(join(place.store, name), content);
    expectOneLine(await finished(place.start()), new RegExp(`${name} is .*Restore into an empty folder\\.$`));
    expect(readdirSync(place.store).toSorted()).toEqual([name, "countersign.db"].toSorted());
    rmSync(join(place.store, name));
    expect(await clientIds(place)).toEqual([clientId]);
    place.remove();
  });

  test("on a backup beside the same kept files works", async () => {
    const place = await withDatabase((database) => copyFileSync(file, database));
    for (const name of ["client-id.key", "soid"]) copyFileSync(join(at.store, name), join(place.store, name));
    expect(await clientIds(place)).toEqual([clientId]);
    place.remove();
  });

  test("on one backup several times at once restores it once", async () => {
    const place = await withDatabase((database) => copyFileSync(file, database));
    const lists = await Promise.all([1, 2, 3].map(() => clientIds(place)));
    expect(lists).toEqual([[clientId], [clientId], [clientId]]);
    place.remove();
  });

  test("on a backup whose permissions are open to all closes them", async () => {
    const place = await withDatabase((database) => {
      copyFileSync(file, database);
      chmodSync(database, 0o644);
    });
    await clientIds(place);
    expect(mode(join(place.store, "countersign.db"))).toBe("600");
    place.remove();
  });

  test("on a backup of the next release works and leaves its schema as it is", async () => {
    const next = await withDatabase((database) => {
      copyFileSync(file, database);
      change(database, "ALTER TABLE api_clients ADD COLUMN later TEXT; UPDATE schema_versions SET version = 99");
    });
    const out = join(next.folder, "next.db");
    expect((await next.countersign("backup", "-out", out)).code).toBe(0);
    const place = await withDatabase((database) => copyFileSync(out, database));
    expect(await clientIds(place)).toEqual([clientId]);
    expect(versions(join(place.store, "countersign.db"))).toEqual([99]);
    next.remove();
    place.remove();
  });
});

/** A workplace whose store folder holds a `countersign.db` that is not one of its own. */
async function withDatabase(make: (database: string) => void): Promise<Workplace> {
  const place = await createWorkplace();
  mkdirSync(place.store);
  make(join(place.store, "countersign.db"));
  return place;
}

async function backUp(place: Workplace): Promise<Finished> {
  const folder = mkdtempSync(join(place.folder, "out-"));
  const run = await place.countersign("backup", "-out", join(folder, "backup.db"));
  expect(readdirSync(folder)).toEqual([]);
  return run;
}

async function finished(child: ReturnType<Workplace["start"]>): Promise<Finished> {
  let stderr = "";
  child.stdout?.resume();
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, "close");
  return { code, stdout: "", stderr };
}

/** For a person; a server's start has its log entry before it. */
function expectOneLine({ code, stdout, stderr }: Finished, reason: RegExp): void {
  const told = stderr.replace(/^.*the server cannot start.*\n/, "");
  // What the command line names, or what the configuration does.
  expect([2, 3]).toContain(code);
  expect({ stdout, lines: told.split("\n").length - 1 }).toEqual({ stdout: "", lines: 1 });
  expect(told.trimEnd()).toMatch(reason);
}

async function clientIds(place: Workplace): Promise<readonly string[]> {
  const run = await place.countersign("client", "list");
  expect(run).toMatchObject({ code: 0, stderr: "" });
  return JSON.parse(run.stdout).items.map((item: { clientId: string }) => item.clientId);
}

function foreignDatabase(database: string): void {
  change(database, "CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('https://example.com')");
}

function enlarge(database: string): void {
  change(database, `CREATE TABLE padding AS SELECT zeroblob(${LARGE}) AS content`);
}

function change(database: string, statements: string): void {
  const connection = new DatabaseSync(database);
  connection.exec(statements);
  connection.close();
}

function overwritePage(database: string, page: number): void {
  const content = readFileSync(database);
  writeFileSync(database, content.fill(0xff, page * 4096, (page + 1) * 4096));
}

function versions(database: string): readonly unknown[] {
  const connection = new DatabaseSync(database);
  const rows = connection.prepare("SELECT DISTINCT version FROM schema_versions").all();
  connection.close();
  return rows.map(({ version }) => version);
}

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
