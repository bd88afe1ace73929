import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkplace } from "./countersign.ts";

test("a server that cannot mark its store as served ends, in one line that says why", async () => {
  const at = await createWorkplace();
  mkdirSync(join(at.store, "serving.lock"), { recursive: true });
  const run = await at.countersign();
  expect(run).toMatchObject({ code: 1, stdout: "" });
  expect(run.stderr).toMatch(/^[^\n]+\n$/);
  expect(run.stderr).toContain(at.store);
  at.remove();
});
