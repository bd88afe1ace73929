import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorkplace, type Workplace } from "./countersign.ts";

let at: Workplace;
beforeAll(async () => {
  at = await createWorkplace();
});
afterAll(() => at?.remove());

test.each([
  ["it has no oidcProvider", ""],
  ["oidcProvider.apiClients.enabled is false", "oidcProvider: {region: us, apiClients: {enabled: false}}\n"],
])("client create is refused where nobody gets tokens: %s", async (why, provider) => {
  writeFileSync(at.config, `version: "1"\nstore: {path: ${at.store}}\n${provider}`);
  const keyOut = join(at.folder, "ci.pem");
  const run = await at.countersign("client", "create", "-name", "CI", "-keyOut", keyOut);
  expect(run).toMatchObject({ code: 4, stdout: "" });
  expect(run.stderr).toContain(`This instance issues no tokens to API clients: ${why}. Create the client where`);
  expect(existsSync(keyOut)).toBe(false);
});
