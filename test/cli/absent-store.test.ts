import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkplace } from "./countersign.ts";

const ID = "client_00000000-0000-8000-8000-000000000000";

test.each([
  ["list"],
  ["show", "-client", ID],
  ["delete", "-client", ID],
  ["add-key", "-client", ID, "-keyOut", "key.pem"],
  ["revoke-key", "-client", ID, "-keyPair", "key_00000000-0000-4000-8000-000000000000"],
])("client %s makes no store where there is none", async (...args) => {
  const at = await createWorkplace();
  const named = args.map((arg) => (arg === "key.pem" ? join(at.folder, arg) : arg));
  const { code, stdout, stderr } = await at.countersign("client", ...named);
  expect([code, stdout]).toEqual([3, ""]);
  expect(stderr).toBe(`There is no store in ${at.store}: ${join(at.store, "countersign.db")} does not exist.\n`);
  expect(existsSync(at.store)).toBe(false);
  expect(existsSync(join(at.folder, "key.pem"))).toBe(false);
  at.remove();
});
