import type { SqlDatabase } from "./database.ts";
import type { MigrationSet } from "./migrate.ts";

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
