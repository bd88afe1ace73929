import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";
import type { SqliteName } from "../contract/engines/sqlite.ts";
import { apiClient, auditEvent } from "../contract/records.ts";

let folder: string;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "countersign-files-")), "store");
});

afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

test("the store's folder and files belong to this user only", async () => {
  const executor = openSqlite(folder);
  await sqlStores(executor, systemClock).auditLog.append(auditEvent());
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const files = readdirSync(folder);
  expect(files).toContain("countersign.db-wal");
  for (const file of files) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  executor.close();
});

test("two processes work on one store at the same time", async () => {
  const writer = startWriter();
  await written(writer, 50);
  const executor = openSqlite(folder);
  const stores = sqlStores(executor, systemClock);
  for (let i = 0; i < 20; i++) {
    const client = apiClient();
    await stores.apiClients.create(client, auditEvent());
    expect(await stores.apiClients.get(client.organizationId, client.clientId)).toEqual(client);
  }
  expect(writer.exitCode).toBeNull();
  await kill(writer);
  executor.close();
});

function startWriter(): ChildProcess {
  const script = join(import.meta.dirname, "../contract/kill/sqlite-writer.ts");
  return spawn(process.execPath, [script, "SQLite" satisfies SqliteName, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Resolves when the child has written so many lines; it goes on. */
async function written(child: ChildProcess, lines: number): Promise<void> {
  if (child.stdout === null) throw new Error("The child has no output.");
  let seen = 0;
  const reader = createInterface({ input: child.stdout });
  await new Promise<void>((resolve, reject) => {
    reader.on("line", () => {
      seen += 1;
      if (seen === lines) resolve();
    });
    reader.once("close", () => reject(new Error(`the child ended after ${seen} lines`)));
  });
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
