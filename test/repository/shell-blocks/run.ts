import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atTheEnd } from "../../support/at-the-end.ts";
import { type RepositoryFile, readRepository } from "../files.ts";
import { isPage, shellBlocks } from "../rules/shell-blocks.ts";
import { copyInstalled, copyRepository } from "./copy.ts";
import { type Place, runPage, withPort } from "./page.ts";
import { freeNeighbours } from "./ports.ts";
import { createRecord } from "./record.ts";
import { startStandIns } from "./stand-ins.ts";

/**
 * Runs every shell block of the README and the docs, as written, in fresh copies of the repository, page by page from top
 * to bottom. Only the port numbers are replaced by free ones, and other people's services by
 * stand-ins on this machine. Exit code 1 when a block fails.
 *
 * The README goes first. Once its first block has installed and built what every page needs, the docs run beside the rest
 * of it, in a copy of their own.
 */
const folder = mkdtempSync(join(tmpdir(), "countersign-shell-blocks-"));
const record = createRecord();
const standIns = await startStandIns();
try {
  const [readme, ...docs] = readRepository().filter(isPage);
  if (readme?.path !== "README.md") throw new Error("The README has to come first: it installs.");
  const [first, second] = [join(folder, "readme"), join(folder, "docs")];
  copyRepository(first);
  copyRepository(second);
  let besides: Promise<void> | undefined;
  await runPage(shellBlocks(readme), { cwd: first, port: await freeNeighbours(), standIns }, record, async () => {
    copyInstalled(first, second);
    const port = await freeNeighbours();
    rewrite(join(second, "examples/try/gateway.yaml"), (text) => withPort(text, port));
    besides = runPages(docs, { cwd: second, port, standIns });
  });
  await besides;
} finally {
  await standIns.stop();
  rmSync(folder, { recursive: true, force: true });
}
const { passed, exempt, failures } = record.counts();
for (const failure of failures) console.log(atTheEnd(failure));
console.log(`Shell blocks: ${passed} passed, ${failures.length} failed, ${exempt} exempt.`);
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1;

/** A file that a block copies instead of writing it. */
function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

async function runPages(pages: readonly RepositoryFile[], place: Place): Promise<void> {
  for (const page of pages) await runPage(shellBlocks(page), place, record);
}
