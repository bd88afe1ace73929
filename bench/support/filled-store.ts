import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { nodeSqlDatabase } from "../../infra/node/sqlite/database.ts";
import { clientIds } from "../../lib/api-clients/client-id.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { PublicKeyJwk } from "../../lib/protocol/oauth/public-key.ts";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { createApiClient } from "../../lib/stores/sql/api-clients.ts";
import { migrate } from "../../lib/stores/sql/migrate.ts";
import type { Effects } from "../../lib/stores/sql/operations.ts";
import { allMigrations } from "../../lib/stores/sql/stores.ts";

export interface StoreContent {
  readonly clients: number;
  /** Keys the check in client ids; 32 bytes. */
  readonly idSecret: Buffer;
  /** Client number n has the key n modulo their count. */
  readonly publicKeys: readonly PublicKeyJwk[];
}

/** Clients a transaction. */
const BATCH = 10_000;

/** Makes an embedded store with so many API clients, each with one key pair. Returns their ids, in the order they were made. */
export function fillStore(folder: string, { clients, idSecret, publicKeys }: StoreContent): readonly string[] {
  mkdirSync(folder, { mode: 0o700 });
  const connection = new DatabaseSync(join(folder, "countersign.db"));
  connection.exec("PRAGMA journal_mode = WAL");
  connection.exec("PRAGMA synchronous = OFF");
  const db = nodeSqlDatabase(connection);
  migrate(db, allMigrations);
  const region = clientIds(idSecret);
  const ids = Array.from({ length: clients }, () => region.create(webCryptoRandom));
  for (let first = 0; first < clients; first += BATCH) {
    db.transaction(() => {
      for (let n = first; n < Math.min(first + BATCH, clients); n++) {
        const record = clientRecord(ids[n] as string, publicKeys[n % publicKeys.length] as PublicKeyJwk);
        createApiClient(db, UNRECORDED.effects, record, UNRECORDED.event);
      }
    });
  }
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  return ids;
}

export function newIdSecret(): Buffer {
  return randomBytes(32);
}

/**
 * A client as the product would have made it, except that its key's fingerprint is not the key's: many clients share a
 * key here, and nothing may be saved because of it.
 */
function clientRecord(clientId: string, publicKey: PublicKeyJwk): ApiClientRecord {
  const at = Date.now();
  const fingerprint = createHash("sha256").update(clientId).digest("base64url");
  return {
    clientId,
    organizationId: "org_benchmark",
    name: "A client of the benchmark",
    scopes: [],
    resources: [],
    createdAt: at,
    updatedAt: at,
    revision: 1,
    grantRevision: 1,
    keyPairs: [{ keyPairId: `key_${randomUUID()}`, fingerprint, publicKey, status: "active", createdAt: at }],
  };
}

const nothing = () => undefined;
const NOBODY: Effects = { event: nothing, tombstones: nothing, stops: nothing, disconnect: nothing };
const NO_EVENT: AuditEvent = { id: "", time: 0, type: "api_client.created", outcome: "success" };

/** Nothing that benchmarks fill a store with needs to be told to anyone. */
export const UNRECORDED = { effects: NOBODY, event: NO_EVENT } as const;
