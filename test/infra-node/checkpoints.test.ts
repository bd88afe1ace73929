import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStoreThread } from "../../infra/node/store-thread/open.ts";
import { systemClock } from "../../lib/clock.ts";
import { auditEvent } from "../contract/records.ts";

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
