import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { nodeSqlDatabase } from "../infra/node/sqlite/database.ts";
import { openStoreThread } from "../infra/node/store-thread/open.ts";
import { systemClock } from "../lib/kernel/clock.ts";
import { ulid } from "../lib/kernel/ids.ts";
import { webCryptoRandom } from "../lib/kernel/random.ts";
import type { ConnectionKey, ConnectionRecord } from "../lib/stores/connections.ts";
import { personId } from "../lib/stores/identities.ts";
import { connect } from "../lib/stores/sql/connections.ts";
import { migrate } from "../lib/stores/sql/migrate.ts";
import { allMigrations } from "../lib/stores/sql/stores.ts";
import { UNRECORDED } from "./support/filled-store.ts";
import type { Finding } from "./support/finding.ts";
import type { BenchOptions } from "./support/options.ts";
import { milliseconds, percentile, whole } from "./support/statistics.ts";

/** Connections a transaction. */
const BATCH = 10_000;
/** Connections of a person, each for an app. */
const APPS = 4;
const LOOK_UPS = 20_000;
const WARM_UP = 2_000;
/** Milliseconds. */
const LIMIT = 2;
const ORGANIZATION = "org_benchmark";

/** How long it takes to look up one of many connections, as a call does on Node that has none in memory. */
export async function benchConnections({ folder, records }: BenchOptions): Promise<readonly Finding[]> {
  const ofStore = join(folder, "connections");
  fill(ofStore, records);
  const store = openStoreThread(ofStore, systemClock);
  try {
    for (let n = 0; n < WARM_UP; n++) await store.stores.connections.connection(anyOf(records));
    const taken = new Float64Array(LOOK_UPS);
    for (let n = 0; n < LOOK_UPS; n++) {
      const key = anyOf(records);
      const start = performance.now();
      const found = await store.stores.connections.connection(key);
      taken[n] = performance.now() - start;
      if (found === undefined) throw new Error(`there is no connection of ${key.person}`);
    }
    const [median, p99] = [percentile(taken, 0.5), percentile(taken, 0.99)];
    const what = `looking up one of ${whole(records)} connections, 99th percentile`;
    console.log(`\n${what}: ${milliseconds(p99, 3)}, median ${milliseconds(median, 3)}`);
    return [{ what, measured: milliseconds(p99, 3), against: `at most ${LIMIT} ms`, met: p99 < LIMIT }];
  } finally {
    await store.close();
  }
}

function fill(folder: string, records: number): void {
  mkdirSync(folder, { mode: 0o700 });
  const connection = new DatabaseSync(join(folder, "countersign.db"));
  connection.exec("PRAGMA journal_mode = WAL");
  connection.exec("PRAGMA synchronous = OFF");
  const db = nodeSqlDatabase(connection);
  migrate(db, allMigrations);
  const at = Date.now();
  for (let first = 0; first < records; first += BATCH) {
    db.transaction(() => {
      for (let n = first; n < Math.min(first + BATCH, records); n++) {
        connect(db, UNRECORDED.effects, record(n, at), UNRECORDED.event);
      }
    });
  }
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

function anyOf(records: number): ConnectionKey {
  return keyOf(Math.floor(Math.random() * records));
}

function keyOf(n: number): ConnectionKey {
  const person = personId({ issuer: "https://benchmark.example", subject: String(Math.floor(n / APPS)) });
  return { organizationId: ORGANIZATION, person, app: `app-${n % APPS}`, agent: "" };
}

/** As large as with the tokens of a provider that issues JWTs. */
function record(n: number, at: number): ConnectionRecord {
  const text = (bytes: number): string => randomBytes(bytes).toString("base64url");
  return {
    ...keyOf(n),
    connectionId: `connection_${ulid(at, webCryptoRandom)}`,
    connector: "provider",
    account: { id: String(n), label: `person-${n}` },
    scopes: ["read", "write"],
    sealed: { keyId: "key", wrappedKey: text(60), tokens: text(1500) },
    expiresAt: at,
    canRefresh: true,
    state: "connected",
    attempt: 0,
    connectedAt: at,
    lastUsedAt: at,
  };
}
