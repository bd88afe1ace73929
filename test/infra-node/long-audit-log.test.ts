import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeSqlDatabase } from "../../infra/node/sqlite/database.ts";
import { ulid } from "../../lib/kernel/ids.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { appendAuditEvent, MAX_EXAMINED, queryAuditEvents, tallyAuditEvents } from "../../lib/stores/sql/audit-log.ts";
import { migrate } from "../../lib/stores/sql/migrate.ts";
import { auditMigrations } from "../../lib/stores/sql/migrations/audit.ts";

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

  test("a tally counts the newest, and says that there was more", () => {
    const request = { ...ORGANIZATION, types: ["tool.invoked"] as const, from: BEGINNING, interval: 60_000 };
    const all = tallyAuditEvents(db, { ...request, to: BEGINNING + RECORDS });
    expect([all.complete, all.counts.map(({ count }) => count)]).toEqual([false, [MAX_EXAMINED]]);
    const some = tallyAuditEvents(db, { ...request, to: BEGINNING + 100 });
    expect([some.complete, some.counts.map(({ count }) => count)]).toEqual([true, [100]]);
  });
});
