import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { nodeSqlDatabase } from "../infra/node/sqlite/database.ts";
import { openEmbeddedStore } from "../infra/node/sqlite/embedded-store.ts";
import { cleanAll } from "../infra/node/sqlite/housekeeping.ts";
import { openStoreThread } from "../infra/node/store-thread/open.ts";
import { systemClock } from "../lib/kernel/clock.ts";
import { base64url } from "../lib/kernel/encoding.ts";
import { ulid } from "../lib/kernel/ids.ts";
import { webCryptoRandom } from "../lib/kernel/random.ts";
import type { AuditEvent } from "../lib/stores/audit-log.ts";
import { appendAuditEvent } from "../lib/stores/sql/audit-log.ts";
import type { Stores } from "../lib/stores/stores.ts";
import type { Finding } from "./support/finding.ts";
import type { BenchOptions } from "./support/options.ts";
import { milliseconds, percentile, whole } from "./support/statistics.ts";

const DAY = 86_400_000;
const RETENTION = 30 * DAY;
const ORGANIZATIONS = 20;
const BATCH = 20_000;
/** How many of the records are too old: what a month brings is deleted little by little, and the rest stays. */
const OLD = 0.1;
/** Single-use values that expired, for each record that is too old. */
const SINGLE_USE = 0.5;
/** Milliseconds between two writes of somebody else, and which their 99th percentile may wait longer than without cleaning. */
const APART = 5;
const LIMIT = 20;

/** What others' writes wait for while old audit records and single-use values are deleted out of many, in the store's thread on Node. */
export async function benchRetention({ folder, records, seconds }: BenchOptions): Promise<readonly Finding[]> {
  const path = `${folder}/retention`;
  await openEmbeddedStore(path, systemClock).close();
  fill(path, records);
  const store = openStoreThread(path, systemClock);
  try {
    const quiet = await writes(store.stores, () => pause(Math.min(seconds, 10) * 1000));
    let took = 0;
    const cleaning = await writes(store.stores, async () => {
      const startedAt = performance.now();
      await cleanAll(store.cleaning, RETENTION);
      took = (performance.now() - startedAt) / 1000;
    });
    const old = Math.round(records * OLD);
    const all = Math.round(old * (1 + SINGLE_USE));
    const what = `${whole(old)} old audit records of ${whole(records)} and ${whole(all - old)} single-use values`;
    console.log(`\nRetention: ${what}`);
    console.log(`  deleted in ${took.toFixed(1)} s, ${whole(all / took)} a second`);
    for (const [what, times] of Object.entries({ "without cleaning": quiet, "while cleaning": cleaning })) {
      const shown = [0.5, 0.99, 1].map((share) => milliseconds(percentile(times, share)));
      console.log(`  ${times.length} writes ${what}: ${shown.join(", ")} (p50, p99, longest)`);
    }
    const [before, during] = [quiet, cleaning].map((times) => percentile(times, 0.99)) as [number, number];
    return [
      {
        what: "p99 of a write while old records are deleted",
        measured: milliseconds(during),
        against: milliseconds(before),
        target: `at most ${LIMIT} ms more`,
        met: during - before <= LIMIT,
      },
    ];
  } finally {
    await store.close();
  }
}

/** How long each of the writes took that somebody else made meanwhile, milliseconds. */
async function writes({ auditLog }: Stores, meanwhile: () => Promise<void>): Promise<Float64Array> {
  const times: number[] = [];
  let isOver = false;
  const done = meanwhile().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const startedAt = performance.now();
    await auditLog.append(record(Date.now(), times.length));
    times.push(performance.now() - startedAt);
    await pause(APART);
  }
  await done;
  return Float64Array.from(times);
}

/** Records of a year, evenly, up to a day before the retention begins and from a day after it on, and values that expired meanwhile. */
function fill(folder: string, records: number): void {
  const connection = new DatabaseSync(`${folder}/countersign.db`, { timeout: 10_000 });
  connection.exec("PRAGMA synchronous = OFF");
  const db = nodeSqlDatabase(connection);
  const begins = Date.now() - RETENTION;
  const old = records * OLD;
  const time = (n: number) =>
    Math.floor(
      n < old
        ? begins - DAY - (old - n) * ((365 * DAY) / old)
        : begins + DAY + (n - old) * ((RETENTION - 2 * DAY) / (records - old)),
    );
  for (let first = 0; first < records; first += BATCH) {
    db.transaction(() => {
      for (let n = first; n < Math.min(first + BATCH, records); n++) {
        appendAuditEvent(db, record(time(n), n));
        if (n >= old || n % (1 / SINGLE_USE) !== 0) continue;
        const key = base64url(webCryptoRandom.bytes(32));
        db.run("INSERT INTO single_use (namespace, key, expires_at) VALUES ('assertion', ?, ?)", key, time(n));
      }
    });
  }
  db.close();
}

function record(time: number, n: number): AuditEvent {
  return {
    id: ulid(time, webCryptoRandom),
    time,
    type: "tool.invoked",
    organizationId: `org_${n % ORGANIZATIONS}`,
    outcome: n % 7 === 0 ? "tool_error" : "success",
    actor: `client_${n % 1_000}`,
    agent: `client_${n % 1_000}`,
    app: "notes",
    tool: `notes_${n % 50}`,
    durationMs: n % 300,
    requestId: ulid(time, webCryptoRandom),
    region: "us",
    argumentsDigest: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
    details: { issuer: "https://us.example", tokenId: `tok_${n}` },
  };
}
