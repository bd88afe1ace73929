import type { MigrationSet } from "../migrate.ts";

/** Organizations, people and API clients of one region. */
export const registryMigrations: MigrationSet = {
  name: "registry",
  migrations: [
    {
      version: 1,
      statements: [
        `CREATE TABLE organizations (
          sequence INTEGER PRIMARY KEY AUTOINCREMENT,
          organization_id TEXT NOT NULL UNIQUE,
          name TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        `CREATE TABLE people (
          user_id TEXT PRIMARY KEY,
          email TEXT NOT NULL UNIQUE,
          created_at INTEGER NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        `CREATE TABLE memberships (
          user_id TEXT NOT NULL,
          organization_id TEXT NOT NULL,
          role TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          schema INTEGER NOT NULL,
          PRIMARY KEY (user_id, organization_id)
        ) STRICT`,
        `CREATE TABLE sign_in_links (
          secret_hash TEXT PRIMARY KEY,
          user_id TEXT NOT NULL,
          expires_at INTEGER NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX sign_in_links_by_expiry ON sign_in_links (expires_at)",
        `CREATE TABLE browser_sessions (
          session_hash TEXT PRIMARY KEY,
          user_id TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          last_seen_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX browser_sessions_by_expiry ON browser_sessions (expires_at)",
        `CREATE TABLE api_clients (
          sequence INTEGER PRIMARY KEY AUTOINCREMENT,
          client_id TEXT NOT NULL UNIQUE,
          organization_id TEXT NOT NULL,
          name TEXT NOT NULL,
          description TEXT,
          scopes TEXT NOT NULL,
          resources TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL,
          revision INTEGER NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX api_clients_by_organization ON api_clients (organization_id, sequence)",
        `CREATE TABLE key_pairs (
          sequence INTEGER PRIMARY KEY AUTOINCREMENT,
          key_pair_id TEXT NOT NULL UNIQUE,
          client_id TEXT NOT NULL,
          fingerprint TEXT NOT NULL,
          public_key TEXT NOT NULL,
          status TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          revoked_at INTEGER,
          schema INTEGER NOT NULL,
          UNIQUE (client_id, fingerprint)
        ) STRICT`,
      ],
    },
    {
      // A release of version 1 inserts the defaults and leaves the rest as it is. When it changes what a client is
      // granted, no grant revision ends: whoever holds the record before grants on until it is read again, as it does there.
      version: 2,
      statements: [
        "ALTER TABLE api_clients ADD COLUMN grant_revision INTEGER NOT NULL DEFAULT 1",
        // By the key pair's sequence. Apart and narrow: noting the uses of many clients changes few pages.
        `CREATE TABLE key_pair_uses (
          sequence INTEGER PRIMARY KEY,
          hour INTEGER NOT NULL
        ) STRICT`,
      ],
    },
    {
      version: 3,
      statements: [
        "ALTER TABLE browser_sessions ADD COLUMN sign_in TEXT",
        // One row: the set is replaced as a whole.
        `CREATE TABLE signing_keys (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          revision INTEGER NOT NULL,
          keys TEXT NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
      ],
    },
    {
      // `revision`: a release of version 3 inserts the default; it changes no organization but the first, which it names.
      version: 4,
      statements: [
        "ALTER TABLE organizations ADD COLUMN revision INTEGER NOT NULL DEFAULT 1",
        "CREATE INDEX memberships_by_organization ON memberships (organization_id, created_at, user_id)",
        "ALTER TABLE browser_sessions ADD COLUMN method TEXT",
        "ALTER TABLE browser_sessions ADD COLUMN user_agent TEXT",
        "CREATE INDEX browser_sessions_by_person ON browser_sessions (user_id, created_at)",
        `CREATE TABLE invitations (
          secret_hash TEXT PRIMARY KEY,
          invitation_id TEXT NOT NULL UNIQUE,
          organization_id TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL,
          record TEXT NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX invitations_by_organization ON invitations (organization_id, created_at)",
        "CREATE INDEX invitations_by_expiry ON invitations (expires_at)",
        `CREATE TABLE passkeys (
          credential_id TEXT PRIMARY KEY,
          user_id TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          record TEXT NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX passkeys_by_person ON passkeys (user_id, created_at)",
        `CREATE TABLE identities (
          issuer TEXT NOT NULL,
          subject TEXT NOT NULL,
          user_id TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          record TEXT NOT NULL,
          schema INTEGER NOT NULL,
          PRIMARY KEY (issuer, subject)
        ) STRICT`,
        "CREATE INDEX identities_by_person ON identities (user_id, created_at)",
        // One row: the document is replaced as a whole.
        `CREATE TABLE settings (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          revision INTEGER NOT NULL,
          record TEXT NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
      ],
    },
    {
      // A release of version 4 inserts none, and never rewrites a session that has some.
      version: 5,
      statements: ["ALTER TABLE browser_sessions ADD COLUMN further TEXT"],
    },
    {
      // A release of version 5 renews nothing: the claims stay as they are while it answers.
      version: 6,
      statements: [
        "ALTER TABLE browser_sessions ADD COLUMN renewals TEXT",
        "ALTER TABLE browser_sessions ADD COLUMN revision INTEGER NOT NULL DEFAULT 0",
      ],
    },
    {
      // Triggers keep the texts, so that what a release of version 6 writes is found, too. No positions of letters (D267).
      version: 7,
      statements: [
        "CREATE INDEX api_clients_by_name ON api_clients (organization_id, name COLLATE NOCASE, sequence)",
        `CREATE VIRTUAL TABLE api_client_texts USING fts5 (
          name, description, content = 'api_clients', content_rowid = 'sequence', tokenize = 'trigram', detail = 'none',
          columnsize = 0
        )`,
        `CREATE TRIGGER api_client_texts_inserted AFTER INSERT ON api_clients BEGIN
          INSERT INTO api_client_texts (rowid, name, description) VALUES (new.sequence, new.name, new.description);
        END`,
        `CREATE TRIGGER api_client_texts_deleted AFTER DELETE ON api_clients BEGIN
          INSERT INTO api_client_texts (api_client_texts, rowid, name, description)
            VALUES ('delete', old.sequence, old.name, old.description);
        END`,
        `CREATE TRIGGER api_client_texts_updated AFTER UPDATE ON api_clients
          WHEN old.name IS NOT new.name OR old.description IS NOT new.description BEGIN
          INSERT INTO api_client_texts (api_client_texts, rowid, name, description)
            VALUES ('delete', old.sequence, old.name, old.description);
          INSERT INTO api_client_texts (rowid, name, description) VALUES (new.sequence, new.name, new.description);
        END`,
        "INSERT INTO api_client_texts (api_client_texts) VALUES ('rebuild')",
      ],
    },
    {
      // A release of version 7 shows an organization that is deleted, and its stop refuses what is of it there, too.
      version: 8,
      statements: ["ALTER TABLE organizations ADD COLUMN deleted_at INTEGER"],
    },
  ],
};
