import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeSqlDatabase } from "../../infra/node/sqlite/database.ts";
import { ulid } from "../../lib/kernel/ids.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { MAX_AUDIT_TOTAL } from "../../lib/stores/audit-log.ts";
import { appendAuditEvent, MAX_EXAMINED, queryAuditEvents } from "../../lib/stores/sql/audit-log.ts";
import { foldAuditSums, tallyAuditEvents } from "../../lib/stores/sql/audit-sums.ts";
import { migrate } from "../../lib/stores/sql/migrate.ts";
import { auditMigrations } from "../../lib/stores/sql/migrations/audit.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const BEGINNING = Date.UTC(2027, 0, 1);
const RECORDS = MAX_EXAMINED + 500;
const ORGANIZATION = { organizationId: "org_long" };

describe("an audit log with more records than one query looks at", () => {
  const db = nodeSqlDatabase(new DatabaseSync(":memory:"));
  beforeAll(() => {
    migrate(db, [auditMigrations]);
    db.transaction(() => {
      for (let n = 0; n < RECORDS; n++) {
        const time = BEGINNING + n;
        const agent = n < 3 ? "client_early" : "client_busy";
        const id = ulid(time, webCryptoRandom);
        appendAuditEvent(db, { ...ORGANIZATION, id, time, type: "tool.invoked", outcome: "success", agent });
      }
    });
  });
  afterAll(() => db.close());

  test("a search for what is old ends before it is found, and goes on at its cursor", () => {
    const filter = { ...ORGANIZATION, agent: "client_early" };
    const first = queryAuditEvents(db, filter, { limit: 2 });
    expect([first.items, first.searchedTo]).toEqual([[], BEGINNING + RECORDS - MAX_EXAMINED]);
    const second = queryAuditEvents(db, filter, { limit: 2, cursor: first.nextCursor as string });
    expect(second.items.map(({ time }) => time - BEGINNING)).toEqual([2, 1]);
    const third = queryAuditEvents(db, filter, { limit: 2, cursor: second.nextCursor as string });
    const text = queryAuditEvents(db, { ...ORGANIZATION, q: "t_early" }, { limit: 2 });
    expect(text).toEqual(first);
    const full = queryAuditEvents(db, { ...ORGANIZATION, q: "t_busy" }, { limit: 2 });
    expect([full.items.length, full.searchedTo]).toEqual([2, undefined]);
    expect(third).toEqual({ items: [expect.objectContaining({ time: BEGINNING })] });
  });

  test("its records are counted up to a bound, those of a search among what it looks at", () => {
    const totalOf = (filter: object) => {
      const page = queryAuditEvents(db, { ...ORGANIZATION, ...filter }, { limit: 2, withTotal: true });
      return page.total;
    };
    expect(totalOf({})).toEqual({ count: MAX_AUDIT_TOTAL, isExact: false });
    expect(totalOf({ from: BEGINNING + 500 })).toEqual({ count: MAX_AUDIT_TOTAL, isExact: true });
    expect(totalOf({ from: BEGINNING + 499 })).toEqual({ count: MAX_AUDIT_TOTAL, isExact: false });
    expect(totalOf({ agent: "client_early" })).toEqual({ count: 0, isExact: false });
    expect(totalOf({ agent: "client_busy" })).toEqual({ count: MAX_EXAMINED, isExact: false });
    expect(totalOf({ q: "t_early" })).toEqual({ count: 0, isExact: false });
    expect(totalOf({ q: "t_early", to: BEGINNING + 4 })).toEqual({ count: 3, isExact: true });
  });

  test("a time in the filter is found at once", () => {
    const filter = { ...ORGANIZATION, agent: "client_early", to: BEGINNING + 2 };
    const { items, nextCursor } = queryAuditEvents(db, filter, { limit: 10 });
    expect([items.map(({ time }) => time - BEGINNING), nextCursor]).toEqual([[1, 0], undefined]);
  });

  test.each([-1, Number.MAX_SAFE_INTEGER])("a time that no record can have is none to fail at: %d", (time) => {
    const after = queryAuditEvents(db, { ...ORGANIZATION, from: time }, { limit: 1 });
    const before = queryAuditEvents(db, { ...ORGANIZATION, to: time }, { limit: 1 });
    expect([after.items.length, before.items.length]).toEqual(time < 0 ? [1, 0] : [0, 1]);
  });

  test("a tally counts all of them", () => {
    const request = { ...ORGANIZATION, types: ["tool.invoked"] as const, from: BEGINNING, interval: 300_000 };
    const all = tallyAuditEvents(db, { ...request, to: BEGINNING + 300_000 });
    expect([all.complete, all.counts.map(({ count }) => count)]).toEqual([true, [RECORDS]]);
  });
});

describe("sums of the audit log", () => {
  const opened = () => nodeSqlDatabase(new DatabaseSync(":memory:"));
  const record = (db: ReturnType<typeof opened>, time: number, durationMs: number) => {
    const id = ulid(time, webCryptoRandom);
    const fields = { type: "tool.invoked", outcome: "success", app: "library", tool: "lend", durationMs } as const;
    appendAuditEvent(db, { ...ORGANIZATION, id, time, ...fields });
  };
  const types = ["tool.invoked"] as const;
  const rows = (db: ReturnType<typeof opened>) =>
    db.all("SELECT start, count, longest_ms FROM audit_sums ORDER BY start");

  test("become those of hours, of quarters of days, of days, then go, and no tally of whole intervals tells otherwise", () => {
    const db = opened();
    migrate(db, [auditMigrations]);
    const interval = 6 * HOUR;
    for (let n = 0; n < 48; n++) record(db, BEGINNING + n * 30 * MINUTE + 7 * MINUTE, n);
    const tallied = () =>
      tallyAuditEvents(db, { ...ORGANIZATION, types, from: BEGINNING, to: BEGINNING + DAY, interval });
    const first = tallied();
    expect(first.counts.map(({ start, count }) => [(start - BEGINNING) / HOUR, count])).toEqual([
      ...[
        [0, 12],
        [6, 12],
        [12, 12],
        [18, 12],
      ],
    ]);
    expect(first.kinds).toMatchObject([{ count: 48, timed: 48, durationMs: (47 * 48) / 2, longestMs: 47 }]);
    const foldAt = (now: number, limit = 7) => {
      while (foldAuditSums(db, now, limit));
    };
    for (const [age, left] of [
      [DAY, 22 + 4],
      [DAY + 13 * HOUR, 1 + 18],
      [8 * DAY, 4],
    ] as const) {
      foldAt(BEGINNING + age);
      expect(rows(db)).toHaveLength(left);
      expect(tallied()).toEqual(first);
    }
    record(db, BEGINNING + 5, 1_000);
    foldAt(BEGINNING + 11 * DAY);
    expect(rows(db)).toEqual([{ start: BEGINNING, count: 49, longest_ms: 1_000 }]);
    foldAt(BEGINNING + 32 * DAY);
    expect(rows(db)).toHaveLength(1);
    foldAt(BEGINNING + 33 * DAY);
    expect(rows(db)).toEqual([]);
    db.close();
  });

  test("tell since when they are kept, where records are older than they are", () => {
    const db = opened();
    const [audit] = [auditMigrations];
    migrate(db, [{ ...audit, migrations: audit.migrations.filter(({ version }) => version < 4) }]);
    record(db, BEGINNING + 10, 1);
    migrate(db, [audit]);
    record(db, BEGINNING + 11, 1);
    const request = { ...ORGANIZATION, types, from: BEGINNING, to: BEGINNING + HOUR, interval: HOUR };
    expect(tallyAuditEvents(db, request)).toMatchObject({
      counts: [{ count: 1 }],
      ...{ complete: false, countedFrom: BEGINNING + 11 },
    });
    expect(tallyAuditEvents(db, { ...request, from: BEGINNING + HOUR })).toMatchObject({ complete: true });
    db.close();
  });
});
