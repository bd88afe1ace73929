import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import { systemClock } from "../../lib/clock.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";
import type { TokenIssue } from "../../lib/stores/tokens.ts";
import { apiClient, auditEvent, tokenIssue } from "../contract/records.ts";

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
  await firstLines(writer, 1);
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

test("every token that was issued before kill -9 is there afterwards, with its audit event", async () => {
  const writer = startWriter();
  const lines = await firstLines(writer, 40);
  await kill(writer);
  const executor = openSqlite(folder);
  const stores = sqlStores(executor, systemClock);
  expect(lines.length).toBeGreaterThanOrEqual(40);
  for (const line of lines) {
    const { reference, token, event } = JSON.parse(line) as TokenIssue;
    expect(await stores.tokens.introspect(reference, Date.now())).toEqual(token);
    const { items } = await stores.auditLog.query({ organizationId: token.organizationId }, { limit: 10 });
    expect(items).toEqual([event]);
  }
  expect((await stores.tokens.issue(await tokenIssue(apiClient()))).outcome).toBe("issued");
  executor.close();
});

function startWriter(): ChildProcess {
  const script = join(import.meta.dirname, "issue-until-killed.ts");
  return spawn(process.execPath, [script, folder], { stdio: ["ignore", "pipe", "inherit"] });
}

/** Complete lines of the child's output, at least so many. */
async function firstLines(child: ChildProcess, count: number): Promise<string[]> {
  if (child.stdout === null) throw new Error("The child has no output.");
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length >= count) break;
  }
  return lines;
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
