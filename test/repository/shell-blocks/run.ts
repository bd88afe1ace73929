import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atTheEnd } from "../../support/at-the-end.ts";
import { readRepository } from "../files.ts";
import { isPage, shellBlocks } from "../rules/shell-blocks.ts";
import { copyInstalled, copyRepository } from "./copy.ts";
import { runPage } from "./page.ts";
import { freeNeighbours } from "./ports.ts";
import { createRecord } from "./record.ts";

/**
 * Runs every shell block of the README and the docs, as written, in fresh copies of the repository, page by page from top
 * to bottom. Only the port numbers are replaced by free ones. Exit code 1 when a block fails.
 *
 * The README goes first. Once its first block has installed and built what every page needs, the docs run beside the rest
 * of it, in a copy of their own.
 */
const folder = mkdtempSync(join(tmpdir(), "countersign-shell-blocks-"));
const record = createRecord();
try {
  const [readme, ...docs] = readRepository().filter(isPage);
  if (readme?.path !== "README.md") throw new Error("The README has to come first: it installs.");
  const installed = Promise.withResolvers<void>();
  const first = join(folder, "readme");
  copyRepository(first);
  await Promise.all([
    runPage(shellBlocks(readme), { cwd: first, port: await freeNeighbours() }, record, installed.resolve),
    installed.promise.then(async () => {
      const second = join(folder, "docs");
      copyRepository(second);
      copyInstalled(first, second);
      const place = { cwd: second, port: await freeNeighbours() };
      for (const page of docs) await runPage(shellBlocks(page), place, record);
    }),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const { passed, exempt, failures } = record.counts();
for (const failure of failures) console.log(atTheEnd(failure));
console.log(`Shell blocks: ${passed} passed, ${failures.length} failed, ${exempt} exempt.`);
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1;
