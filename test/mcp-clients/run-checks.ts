import type { Check } from "./check.ts";

/** Longer than any program may take; `mcp-remote` has no limit of its own. */
const CHECK_WITHIN_MS = 90_000;

/** Prints one line a check and `N passed, N failed`. Resolves to how many failed. */
export async function runChecks(checks: readonly Check[]): Promise<number> {
  let failed = 0;
  for (const { name, run } of checks) {
    try {
      await Promise.race([run(), tooLong()]);
      console.log(`passed  ${name}`);
    } catch (error) {
      failed++;
      console.log(`failed  ${name}\n${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  console.log(`${checks.length - failed} passed, ${failed} failed`);
  return failed;
}

function tooLong(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`took longer than ${CHECK_WITHIN_MS / 1000} s`)), CHECK_WITHIN_MS).unref();
  });
}
