import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type NodeSqlDatabase, nodeSqlDatabase } from "../../../infra/node/sqlite/database.ts";
import { migrate } from "../../../lib/stores/sql/migrate.ts";
import { allMigrations } from "../../../lib/stores/sql/stores.ts";
import type { PreviousRelease, Releases } from "../releases/engine.ts";
import { previousMigrations, previousSql } from "../releases/previous-sql.ts";
import { clockAhead } from "./clock.ts";
import { SQLITE_OPENERS, type SqliteName } from "./sqlite.ts";

/** Both releases have the file open at the same time, from the second opening on. */
export async function openSqliteReleases(name: SqliteName): Promise<Releases> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-releases-"));
  let db: NodeSqlDatabase | undefined;
  let current: ReturnType<(typeof SQLITE_OPENERS)[SqliteName]> | undefined;
  return {
    previous: async () => {
      db ??= openPrevious(join(folder, "countersign.db"));
      // What it does at each start, also when the other release has been there meanwhile.
      migrate(db, previousMigrations(allMigrations));
      return over(db);
    },
    current: async () => {
      current ??= SQLITE_OPENERS[name](folder, clockAhead(0));
      return current.stores;
    },
    close: async () => {
      await current?.close();
      db?.close();
      await rm(folder, { recursive: true });
    },
  };
}

export function openPrevious(file: string): NodeSqlDatabase {
  const connection = new DatabaseSync(file, { timeout: 5000 });
  connection.exec("PRAGMA journal_mode = WAL");
  connection.exec("PRAGMA synchronous = FULL");
  return nodeSqlDatabase(connection);
}

function over(db: NodeSqlDatabase): PreviousRelease {
  const write = async <T>(work: () => T): Promise<T> => db.transaction(work);
  return {
    createClient: (client) => write(() => previousSql.createClient(db, client)),
    client: async (clientId) => previousSql.client(db, clientId),
    rename: (clientId, name) => write(() => previousSql.rename(db, clientId, name)),
    revokeKeyPair: (_clientId, keyPairId) =>
      write(() => {
        previousSql.revokeKeyPair(db, keyPairId);
        previousSql.addTombstone(db, `key/${keyPairId}`);
      }),
    deleteClient: (clientId) =>
      write(() => {
        previousSql.removeClient(db, clientId);
        previousSql.addTombstone(db, `client/${clientId}`);
      }),
    issue: (request) => write(() => previousSql.issue(db, request)),
    introspect: async ({ hash }, now) => previousSql.introspect(db, hash, now),
    consume: (key, expiresAt) => write(() => previousSql.consumeValue(db, key, expiresAt)),
    createOwner: (first) => write(() => previousSql.createOwner(db, first)),
    person: async (userId) => previousSql.person(db, userId),
    createLink: (link) => write(() => previousSql.createLink(db, link)),
    consumeLink: (secretHash, now) => write(() => previousSql.consumeLink(db, secretHash, now)),
    createSession: (session) => write(() => previousSql.createSession(db, session)),
    session: async (sessionHash) => previousSql.session(db, sessionHash),
    begin: (event) => write(() => previousSql.begin(db, event)),
    event: async (event) => previousSql.event(db, event),
  };
}
