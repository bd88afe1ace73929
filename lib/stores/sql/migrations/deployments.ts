import type { MigrationSet } from "../migrate.ts";

/** What was published: one document, and the bundles in pieces. */
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
  ],
};
