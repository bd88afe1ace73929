import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const TWO_WORKERS = fileURLToPath(new URL("two-workers.ts", import.meta.url));

test("no connection waits for a worker that was killed before it took it", { timeout: 30_000 }, async () => {
  for (let at = 0; at < 3; at++) {
    const { stdout } = await run(process.execPath, [TWO_WORKERS], { timeout: 20_000 });
    const { answered, failed } = JSON.parse(stdout) as { readonly answered: number; readonly failed: number };
    expect(answered).toBeGreaterThanOrEqual(100);
    // What a worker had taken ends with it.
    expect(failed).toBeLessThanOrEqual(8);
  }
});
