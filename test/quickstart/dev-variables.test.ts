import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DEV_VARIABLES, ensureDevVariables, readDevVariables } from "../../infra/build/dev-variables.ts";
import { loadConfiguration } from "../../infra/node/load-configuration.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { openSecretProvider } from "../../lib/secrets/open.ts";
import { PORTABLE_OPENERS } from "../../lib/secrets/openers.ts";

const ROOT = join(import.meta.dirname, "../..");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-dev-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the Worker on this machine gets secrets that its configuration accepts, readable by this user only", async () => {
  ensureDevVariables(folder);
  expect(statSync(join(folder, DEV_VARIABLES)).mode & 0o777).toBe(0o600);
  const environment = { REGION: "us", ...readDevVariables(folder) };
  const sources = { fetch, openFetch: undefined, clock: systemClock, environment };
  const secrets = await openSecretProvider({ variable: "env://CS_" }, PORTABLE_OPENERS, sources);
  const artifact = await loadConfiguration(join(ROOT, "examples/edge/countersign.yaml"));
  const { configuration, warnings } = await resolveConfiguration(artifact, {
    environment,
    secrets,
    runtime: "workers",
  });
  expect(warnings).toEqual([]);
  expect(configuration.publicURL).toBe("http://localhost:8787");
  expect(configuration.console.setupToken).toMatch(/^[\w-]{32}$/);
  expect(configuration.oidcProvider?.apiClients.idSecret).toMatch(/^[\w-]{43}$/);
});

test("secrets are made once, differ between machines, and a file of one's own is kept", () => {
  ensureDevVariables(folder);
  const made = readFileSync(join(folder, DEV_VARIABLES), "utf8");
  ensureDevVariables(folder);
  expect(readFileSync(join(folder, DEV_VARIABLES), "utf8")).toBe(made);
  rmSync(join(folder, DEV_VARIABLES));
  ensureDevVariables(folder);
  expect(readFileSync(join(folder, DEV_VARIABLES), "utf8")).not.toBe(made);
  writeFileSync(join(folder, DEV_VARIABLES), "MINE=1\n");
  ensureDevVariables(folder);
  expect(readFileSync(join(folder, DEV_VARIABLES), "utf8")).toBe("MINE=1\n");
});

test("git does not see the file", () => {
  const ignored = execFileSync("git", ["check-ignore", DEV_VARIABLES], { cwd: ROOT, encoding: "utf8" });
  expect(ignored.trim()).toBe(DEV_VARIABLES);
});
