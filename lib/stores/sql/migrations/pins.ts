import type { MigrationSet } from "../migrate.ts";

/** Of each app one document, which is replaced as a whole, and the texts that it names by their digests. */
export const pinMigrations: MigrationSet = {
  name: "pins",
  migrations: [
    {
      version: 1,
      statements: [
        `CREATE TABLE tool_pins (
          organization_id TEXT NOT NULL,
          app TEXT NOT NULL,
          revision INTEGER NOT NULL,
          record TEXT NOT NULL,
          schema INTEGER NOT NULL,
          PRIMARY KEY (organization_id, app)
        ) STRICT`,
        `CREATE TABLE tool_definitions (
          organization_id TEXT NOT NULL,
          app TEXT NOT NULL,
          digest TEXT NOT NULL,
          text TEXT NOT NULL,
          schema INTEGER NOT NULL,
          PRIMARY KEY (organization_id, app, digest)
        ) STRICT`,
      ],
    },
  ],
};
