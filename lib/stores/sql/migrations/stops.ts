import type { MigrationSet } from "../migrate.ts";

/**
 * What is stopped: the document as it was last written, and its stops by their keys. A part of every database that decides on
 * tokens, and of the registry.
 */
export const stopMigrations: MigrationSet = {
  name: "stops",
  migrations: [
    {
      version: 1,
      statements: [
        `CREATE TABLE stops (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          revision INTEGER NOT NULL,
          record TEXT NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        `CREATE TABLE stops_by_key (
          key TEXT NOT NULL,
          stop TEXT NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX stops_by_key_index ON stops_by_key (key)",
      ],
    },
  ],
};
