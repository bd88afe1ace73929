import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startThread } from "../../infra/node/store-thread/calls.ts";
import type { Keeping } from "../../infra/node/store-thread/keeping.ts";
import { openStoreOfOther, openStoreThread } from "../../infra/node/store-thread/open.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { StoreUnavailableError } from "../../lib/stores/unavailable.ts";
import { auditEvent } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";

test("41. a store's thread that an error ends takes nothing with it: calls are refused, and another one is started", async () => {
  const parent = mkdtempSync(join(tmpdir(), "countersign-thread-"));
  // Where there is no folder, the thread cannot even begin.
  const folder = join(parent, "store");
  const states: Keeping[] = [];
  const thread = startThread({ folder }, { changed: (state) => states.push(state) });
  const append = () => thread.call("auditLog", "append", [auditEvent()]);
  await expect(append()).rejects.toThrow(StoreUnavailableError);
  expect(states).toEqual([{ kept: false, reason: expect.stringContaining("no such file") }]);
  await expect(append()).rejects.toThrow(StoreUnavailableError);
  mkdirSync(folder);
  await eventually(
    () => append().then(() => "kept", String),
    (outcome) => outcome === "kept",
  );
  expect(states.at(-1)).toEqual({ kept: true });
  await thread.close();
  await expect(append()).rejects.toThrow("The store is closed.");
  rmSync(parent, { recursive: true });
});

test("41. another process's writes go through the thread: long ones, failed ones, and again when the thread has ended", async () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-thread-"));
  const socket = join(folder, "socket");
  const others = { changed: () => Promise.resolve(), onChanged: () => undefined };
  let store = openStoreThread(folder, systemClock, { socket });
  const other = await eventually(async () => openStoreOfOther(folder, systemClock, socket, others), Boolean);
  const append = (details = {}) => other.stores.auditLog.append({ ...auditEvent(), organizationId: "org", details });
  const count = async () => (await store.stores.auditLog.query({ organizationId: "org" }, { limit: 100 })).items.length;
  await eventually(
    () => append().then(() => "kept", String),
    (outcome) => outcome === "kept",
  );
  await Promise.all(Array.from({ length: 20 }, (_, at) => append({ text: "x".repeat(at * 20_000) })));
  expect(await count()).toBe(21);
  const outcomes = await Promise.allSettled([append(), other.stores.auditLog.append({} as AuditEvent), append()]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  await store.close();
  await expect(append()).rejects.toThrow(StoreUnavailableError);
  store = openStoreThread(folder, systemClock, { socket });
  await eventually(
    () => append().then(() => "kept", String),
    (outcome) => outcome === "kept",
  );
  await Promise.all([append(), other.close()]);
  expect(await count()).toBe(25);
  await store.close();
  rmSync(folder, { recursive: true });
});
