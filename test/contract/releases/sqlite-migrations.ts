import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { migrate } from "../../../lib/stores/sql/migrate.ts";
import { allMigrations } from "../../../lib/stores/sql/stores.ts";
import { clockAhead } from "../engines/clock.ts";
import { SQLITE_OPENERS, type SqliteName } from "../engines/sqlite.ts";
import { openPrevious } from "../engines/sqlite-releases.ts";
import { apiClient, auditEvent, tokenIssue } from "../records.ts";
import type { PreviousClient } from "./engine.ts";
import { previousMigrations, previousSql } from "./previous-sql.ts";

/** Processes of two releases on one file. Elsewhere no two processes migrate the same data. */
export function sqliteMigrationsContract(name: SqliteName): void {
  describe(`migrations on ${name}`, () => {
    let folder: string;
    let file: string;
    const children: ChildProcess[] = [];
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "countersign-migrations-"));
      file = join(folder, "countersign.db");
      makePrevious(file);
    });
    afterEach(async () => {
      await Promise.all(children.splice(0).map(kill));
      rmSync(folder, { recursive: true });
    });

    const open = () => SQLITE_OPENERS[name](folder, clockAhead(0));
    const run = (script: string): ChildProcess => {
      const child = spawn(process.execPath, [join(import.meta.dirname, script), folder], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      children.push(child);
      return child;
    };

    test("several processes migrate the previous release's database at once, and its records are kept", async () => {
      const old = clientIn(file);
      const openers = Array.from({ length: 4 }, () => run("open-when-told.ts"));
      const lines = openers.map(linesOf);
      for (const line of lines) expect((await line.next()).value).toBe("ready");
      for (const { stdin } of openers) stdin?.write("open\n");
      for (const line of lines) expect((await line.next()).value).toBe("opened");
      const { stores, close } = open();
      expect(await stores.apiClients.get(old.organizationId, old.clientId)).toEqual({ ...old, grantRevision: 1 });
      expect(versionIn(file)).toBe(registryVersion());
      await close();
    });

    test("a process of the previous release goes on writing while this one migrates and writes", async () => {
      const writer = run("previous-writer.ts");
      const lines = linesOf(writer);
      const written: PreviousClient[] = [];
      const some = async () => {
        for (let i = 0; i < 10; i++) written.push(JSON.parse((await lines.next()).value ?? "") as PreviousClient);
      };
      await some();
      const { stores, close } = open();
      for (let i = 0; i < 10; i++) {
        const client = apiClient();
        await stores.apiClients.create(client, auditEvent());
        await some();
        expect(await stores.apiClients.get(client.organizationId, client.clientId)).toEqual(client);
      }
      expect(writer.exitCode).toBeNull();
      for (const client of written) {
        const expected = { ...client, grantRevision: 1 };
        expect(await stores.apiClients.get(client.organizationId, client.clientId)).toEqual(expected);
        expect(await stores.tokens.issue(tokenIssue(expected))).toEqual({ outcome: "issued" });
      }
      await close();
    });

    test("a database of a newer release is left as it is, and works", async () => {
      await open().close();
      const newer = new DatabaseSync(file);
      newer.exec("ALTER TABLE api_clients ADD COLUMN of_the_future TEXT NOT NULL DEFAULT 'kept'");
      newer.exec("UPDATE schema_versions SET version = 99 WHERE name = 'registry'");
      const { stores, close } = open();
      const client = apiClient();
      await stores.apiClients.create(client, auditEvent());
      expect(await stores.apiClients.get(client.organizationId, client.clientId)).toEqual(client);
      expect(await stores.tokens.issue(tokenIssue(client))).toEqual({ outcome: "issued" });
      await close();
      expect(versionIn(file)).toBe(99);
      expect(newer.prepare("SELECT of_the_future FROM api_clients").get()).toEqual({ of_the_future: "kept" });
      newer.close();
    });
  });
}

function makePrevious(file: string): void {
  const db = openPrevious(file);
  migrate(db, previousMigrations(allMigrations));
  db.close();
}

/** A new client in the previous release's database. */
function clientIn(file: string): PreviousClient {
  const { grantRevision: _, ...client } = apiClient();
  const db = openPrevious(file);
  db.transaction(() => previousSql.createClient(db, client));
  db.close();
  return client;
}

function registryVersion(): number | undefined {
  return allMigrations.find(({ name }) => name === "registry")?.migrations.at(-1)?.version;
}

function versionIn(file: string): unknown {
  const connection = new DatabaseSync(file);
  const row = connection.prepare("SELECT version FROM schema_versions WHERE name = 'registry'").get();
  connection.close();
  return row?.version;
}

function linesOf({ stdout }: ChildProcess): AsyncIterator<string, undefined> {
  if (stdout === null) throw new Error("the child has no output");
  return createInterface({ input: stdout })[Symbol.asyncIterator]() as AsyncIterator<string, undefined>;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
