import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Missing } from "../../other-sdks/missing.ts";
import { startKeycloak } from "./server.ts";

/**
 * Plays the walk of connecting, refreshing and disconnecting with Keycloak as the provider of people's accounts:
 *
 *     node test/connections/keycloak/run.ts [FLAGS OF VITEST]
 *
 * Needs Java and Maven, which gets Keycloak. Says what is missing and passes where one of them is not there.
 */
const ROOT = join(import.meta.dirname, "..", "..", "..");
const home = await mkdtemp(join(tmpdir(), "countersign-keycloak-"));
try {
  const keycloak = await startKeycloak(home);
  try {
    process.exitCode = await testsWith(keycloak.origin);
  } finally {
    await keycloak.stop();
  }
} catch (cause) {
  if (!(cause instanceof Missing)) throw cause;
  console.log(`Keycloak not run: ${cause.message}`);
} finally {
  await rm(home, { recursive: true, force: true });
}

/** @returns the exit code */
function testsWith(origin: string): Promise<number> {
  const program = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const config = join(import.meta.dirname, "vitest.config.ts");
  const child = spawn(process.execPath, [program, "run", "--config", config, ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, COUNTERSIGN_KEYCLOAK: origin },
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}
