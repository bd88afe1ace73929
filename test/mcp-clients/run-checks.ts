import { Missing } from "../other-sdks/missing.ts";
import type { Check } from "./check.ts";

/** Longer than any program may take; `mcp-remote` has no limit of its own. */
const CHECK_WITHIN_MS = 90_000;

/** Prints one line a check, what could not run, and `N passed, N failed`. Resolves to how many failed. */
export async function runChecks(checks: readonly Check[]): Promise<number> {
  let failed = 0;
  const missing: string[] = [];
  for (const { name, run } of checks) {
    try {
      await Promise.race([run(), tooLong()]);
      console.log(`passed  ${name}`);
    } catch (error) {
      if (error instanceof Missing) {
        missing.push(`${name}. ${error.message}`);
        continue;
      }
      failed++;
      console.log(`failed  ${name}\n${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  for (const what of missing) console.log(`NOT RUN: ${what}`);
  console.log(`${checks.length - missing.length - failed} passed, ${failed} failed`);
  return failed;
}

function tooLong(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`took longer than ${CHECK_WITHIN_MS / 1000} s`)), CHECK_WITHIN_MS).unref();
  });
}
