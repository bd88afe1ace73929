import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Variables that keep wrangler offline and silent. */
export const QUIET_WRANGLER = {
  CI: "1",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
} as const;

/** Runs wrangler in the repository; rejects with what it printed. */
export async function wrangler(...parameters: readonly string[]): Promise<void> {
  const cwd = fileURLToPath(new URL("../../", import.meta.url));
  try {
    await promisify(execFile)(process.execPath, [wranglerProgram(), ...parameters], {
      cwd,
      env: { ...process.env, ...QUIET_WRANGLER },
    });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`wrangler ${parameters.join(" ")} failed:\n${stdout}${stderr}`);
  }
}

/** The script that is wrangler's command. */
export function wranglerProgram(): string {
  return join(dirname(createRequire(import.meta.url).resolve("wrangler/package.json")), "bin/wrangler.js");
}
