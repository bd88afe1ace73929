import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorkplace, type Workplace } from "./countersign.ts";

let at: Workplace;
beforeAll(async () => {
  at = await createWorkplace();
  await at.countersign("client", "create", "-name", "first", "-keyOut", join(at.folder, "first.pem"));
  // Modes of files mean nothing to root, who may run this: SQLite itself says no here.
  const database = new DatabaseSync(join(at.store, "countersign.db"));
  database.exec(
    "CREATE TRIGGER refuses BEFORE INSERT ON audit_events BEGIN SELECT RAISE(ABORT, 'nothing is written'); END",
  );
  database.close();
});
afterAll(() => at.remove());

test.each([
  ["the server", []],
  ["a command", ["client", "create", "-name", "second", "-keyOut", "second.pem"]],
])("what the database refuses to write is told in one line with its name, by %s", async (_, args) => {
  const named = args.map((arg) => (arg.endsWith(".pem") ? join(at.folder, arg) : arg));
  const { code, stderr } = await at.countersign(...named);
  expect(code).toBe(3);
  expect(stderr.split("\n").at(-2)).toBe(
    `The store ${join(at.store, "countersign.db")} cannot be used: nothing is written.`,
  );
  expect(stderr).not.toMatch(/^ +at /m);
});
