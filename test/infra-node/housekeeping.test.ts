import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cleanAll } from "../../infra/node/sqlite/housekeeping.ts";
import { openStoreThread } from "../../infra/node/store-thread/open.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { auditEvent, newOrganizationId } from "../contract/records.ts";

const DAY = 86_400_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-housekeeping-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("53. others write while old records are deleted, a little at a time", async () => {
  const { stores, cleaning, close } = openStoreThread(folder, systemClock);
  const { auditLog } = stores;
  const organizationId = newOrganizationId();
  const time = Date.now() - 40 * DAY;
  const old = Array.from({ length: 3_000 }, () => auditEvent({ organizationId, time }));
  await Promise.all(old.map((event) => auditLog.append(event)));
  const day = new Date(time).toISOString().slice(0, 10);
  const deleted = async () => (await auditLog.kept({ organizationId, from: day, to: day }))[0]?.count ?? 0;
  const young = auditEvent({ organizationId });

  const cleaned = cleanAll(cleaning, 30 * DAY);
  await auditLog.append(young);
  expect(await deleted()).toBeLessThan(3_000);
  await cleaned;
  expect(await deleted()).toBe(3_000);
  expect(await auditLog.query({ organizationId }, { limit: 10 })).toEqual({ items: [young] });
  await close();
});
