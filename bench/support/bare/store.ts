import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** What one token leaves behind. */
export interface Issue {
  readonly id: number;
  readonly hash: string;
  readonly jti: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly record: string;
  readonly event: string;
}

export interface Issued {
  readonly id: number;
  /** False when the `jti` was used before. */
  readonly isNew: boolean;
}

export const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 16000;
  CREATE TABLE IF NOT EXISTS tokens (hash TEXT NOT NULL UNIQUE, expires_at INTEGER NOT NULL, record TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS used (jti TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS audit (id INTEGER PRIMARY KEY, event TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS ended (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;`;

/** The bare server's second thread: what comes while one commit is flushed to disk shares the next. */
if (parentPort !== null) serve(parentPort);

function serve(port: NonNullable<typeof parentPort>): void {
  const db = new DatabaseSync(workerData as string);
  db.exec(SCHEMA);
  const use = db.prepare("INSERT OR IGNORE INTO used (jti, expires_at) VALUES (?, ?)");
  const insertToken = db.prepare("INSERT INTO tokens (hash, expires_at, record) VALUES (?, ?, ?)");
  const insertEvent = db.prepare("INSERT INTO audit (event) VALUES (?)");
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  let queue: Issue[] = [];

  const issue = ({ id, hash, jti, expiresAt, record, event }: Issue): Issued => {
    const isNew = use.run(jti, expiresAt).changes === 1;
    if (isNew) {
      insertToken.run(hash, expiresAt, record);
      insertEvent.run(event);
    }
    return { id, isNew };
  };
  const flush = (): void => {
    const issues = queue;
    queue = [];
    begin.run();
    const issued = issues.map(issue);
    commit.run();
    port.postMessage(issued);
  };
  port.on("message", (issues: readonly Issue[]) => {
    if (queue.length === 0) setImmediate(flush);
    queue.push(...issues);
  });
}
