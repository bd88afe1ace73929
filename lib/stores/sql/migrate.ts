import type { SqlDatabase } from "./database.ts";

/** One step, never edited once released. It only expands; what a release no longer uses, a later release removes. */
interface Migration {
  readonly version: number;
  readonly statements: readonly string[];
}

/** Tables that always live in the same database. On Node one file holds all sets; Durable Objects hold one or two each. */
export interface MigrationSet {
  readonly name: string;
  /** In ascending order of `version`. */
  readonly migrations: readonly Migration[];
}

/**
 * Brings the sets' tables up to date, all or nothing. A database that is newer than this code is left as it is: since
 * migrations expand first, two adjacent releases run side by side.
 */
export function migrate(db: SqlDatabase, sets: readonly MigrationSet[]): void {
  db.transaction(() => {
    db.run("CREATE TABLE IF NOT EXISTS schema_versions (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT");
    for (const set of sets) migrateSet(db, set);
  });
}

function migrateSet(db: SqlDatabase, set: MigrationSet): void {
  const current = Number(db.all("SELECT version FROM schema_versions WHERE name = ?", set.name)[0]?.version ?? 0);
  for (const migration of set.migrations) {
    if (migration.version <= current) continue;
    for (const statement of migration.statements) db.run(statement);
    db.run(
      "INSERT INTO schema_versions (name, version) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET version = excluded.version",
      set.name,
      migration.version,
    );
  }
}

/** Tables that a later release has changed. */
export interface SchemaAhead {
  readonly name: string;
  /** The version that the database has. */
  readonly version: number;
  /** The last one that this release knows. */
  readonly known: number;
}

/** The sets that are more than one version ahead of this code: not by the next release, the only one that may run beside it. */
export function schemasAhead(db: SqlDatabase, sets: readonly MigrationSet[]): readonly SchemaAhead[] {
  const rows = db.all("SELECT name, version FROM schema_versions ORDER BY name");
  return rows.flatMap(({ name, version }) => {
    const known = sets.find((set) => set.name === name)?.migrations.at(-1)?.version;
    if (known === undefined || Number(version) <= known + 1) return [];
    return [{ name: String(name), version: Number(version), known }];
  });
}
