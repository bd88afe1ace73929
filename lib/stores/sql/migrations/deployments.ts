import type { MigrationSet } from "../migrate.ts";

/** What was published: one document, the bundles in pieces, and which instances use what. */
export const deploymentMigrations: MigrationSet = {
  name: "deployments",
  migrations: [
    {
      version: 1,
      statements: [
        `CREATE TABLE deployment (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          version INTEGER NOT NULL,
          record TEXT NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        `CREATE TABLE deployment_pieces (
          bundle TEXT NOT NULL,
          number INTEGER NOT NULL,
          text TEXT NOT NULL,
          schema INTEGER NOT NULL,
          PRIMARY KEY (bundle, number)
        ) STRICT`,
      ],
    },
    {
      // At most some hundred rows, which are looked at together.
      version: 2,
      statements: [
        `CREATE TABLE deployment_instances (
          id TEXT PRIMARY KEY,
          seen_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL,
          record TEXT NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
      ],
    },
  ],
};
