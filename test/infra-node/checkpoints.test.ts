import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startCheckpoints } from "../../infra/node/store-thread/checkpoints.ts";
import { openStoreThread } from "../../infra/node/store-thread/open.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { auditEvent } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-checkpoints-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the log begins anew while a server goes on writing", async () => {
  const store = openStoreThread(folder, systemClock);
  const write = (count: number) =>
    Promise.all(Array.from({ length: count }, () => store.stores.auditLog.append(auditEvent())));
  const log = () => statSync(join(folder, "countersign.db-wal")).size;
  for (let i = 0; i < 40; i++) await write(50);
  const early = log();
  for (let i = 0; i < 200; i++) await write(50);
  expect(log()).toBeLessThan(3 * early);
  await store.close();
});

test("41. a log that cannot be copied ends nothing: it is told, and tried again after more writes", async () => {
  const causes: unknown[] = [];
  const checkpoints = startCheckpoints(
    { folder: join(folder, "gone") },
    { finish: () => expect.fail("nothing was copied"), failed: (cause) => causes.push(cause) },
  );
  for (const round of [1, 2]) {
    checkpoints.committed(1_000);
    await eventually(
      async () => causes.length,
      (count) => count === round,
    );
  }
  expect(causes.map(String)).toEqual([
    expect.stringContaining("unable to open"),
    expect.stringContaining("unable to open"),
  ]);
  await checkpoints.close();
});

test("the thread that copies the log ends when there is nothing to do, and is there again when there is", async () => {
  await openStoreThread(folder, systemClock).close();
  let copied = 0;
  const threads = () => process.getActiveResourcesInfo().filter((resource) => resource === "MessagePort").length;
  const before = threads();
  const checkpoints = startCheckpoints(
    { folder },
    { finish: () => void copied++, failed: (error) => expect.fail(String(error)), idleTime: 1 },
  );
  for (const round of [1, 2]) {
    checkpoints.committed(1_000);
    expect(threads()).toBe(before + 1);
    await eventually(
      async () => ({ copied, threads: threads() }),
      (seen) => seen.copied === round && seen.threads === before,
    );
  }
  await checkpoints.close();
});
