import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startThread } from "../../infra/node/store-thread/calls.ts";
import type { Keeping } from "../../infra/node/store-thread/keeping.ts";
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
