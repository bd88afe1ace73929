import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { auditEvent, MINUTE, newOrganizationId } from "../contract/records.ts";
import { type OpenDurableObjects, openDurableObjects } from "../support/stores-worker/engine.ts";

const DAY = 24 * 60 * MINUTE;

describe("the audit log on Cloudflare", () => {
  let open: OpenDurableObjects;
  beforeAll(async () => {
    open = await openDurableObjects();
  });
  afterAll(() => open.close());

  const append = async (fields: Partial<AuditEvent>) => {
    const event = auditEvent(fields);
    await open.stores.auditLog.append(event);
    return event;
  };

  test("records of one day lie in several objects and read back as one list, newest first", async () => {
    const organizationId = newOrganizationId();
    const start = Date.UTC(2026, 2, 1, 12);
    const events = await Promise.all(Array.from({ length: 40 }, (_, i) => append({ organizationId, time: start + i })));
    const objects = await open.worker.listDurableObjectIds("AUDIT_SHARDS");
    expect(objects.length).toBeGreaterThan(1);
    const { items, nextCursor } = await open.stores.auditLog.query({ organizationId }, { limit: 40 });
    expect(items).toEqual(events.reverse());
    expect(nextCursor).toBeUndefined();
  });

  test("a search through very many days stops with a page that goes on, and finds what lies behind", async () => {
    const organizationId = newOrganizationId();
    const start = Date.UTC(2026, 2, 1, 12);
    const oldest = await append({ organizationId, time: start, type: "member.added" });
    for (let day = 1; day <= 100; day++) await append({ organizationId, time: start + day * DAY });
    const filter = { organizationId, type: "member.added" };
    const first = await open.stores.auditLog.query(filter, { limit: 10 });
    expect(first.items).toEqual([]);
    const cursor = first.nextCursor ?? "";
    expect(await open.stores.auditLog.query(filter, { limit: 10, cursor })).toEqual({ items: [oldest] });
    const totalOf = async (from: number) =>
      (await open.stores.auditLog.query({ organizationId, from }, { limit: 1, withTotal: true })).total;
    expect(await totalOf(start)).toEqual({ count: 7, isExact: false });
    expect(await totalOf(start + 94 * DAY)).toEqual({ count: 7, isExact: true });
  });

  test.each([8.64e15, -8.64e15, 253402300800000])("a time that no day has, %d, is no error", async (time) => {
    const organizationId = newOrganizationId();
    const event = await append({ organizationId });
    const after = await open.stores.auditLog.query({ organizationId, from: time }, { limit: 10 });
    const before = await open.stores.auditLog.query({ organizationId, to: time }, { limit: 10 });
    expect([...after.items, ...before.items]).toEqual([event]);
  });
});
