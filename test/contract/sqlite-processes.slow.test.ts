import { mortalSqliteEngines, SQLITE_OPENERS, type SqliteName } from "./engines/sqlite.ts";
import { openSqliteReleases } from "./engines/sqlite-releases.ts";
import { killContract } from "./kill/contract.ts";
import { releasesContract } from "./releases/contract.ts";
import { sqliteMigrationsContract } from "./releases/sqlite-migrations.ts";

for (const name of Object.keys(SQLITE_OPENERS) as SqliteName[]) {
  releasesContract({ name, open: () => openSqliteReleases(name) });
  sqliteMigrationsContract(name);
}

for (const engine of mortalSqliteEngines) killContract(engine);
