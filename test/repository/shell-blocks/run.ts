import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atTheEnd } from "../../support/at-the-end.ts";
import { readRepository } from "../files.ts";
import { isPage, type ShellBlock, shellBlocks } from "../rules/shell-blocks.ts";
import { copyRepository } from "./copy.ts";
import { freeNeighbours } from "./ports.ts";
import { type RunningBlock, runBlock, startBlock } from "./shell.ts";

/**
 * Runs every shell block of the README and the docs, as written, in a fresh copy of the repository, page by page from top
 * to bottom. Only the port numbers are replaced by free ones. Exit code 1 when a block fails.
 */
const folder = mkdtempSync(join(tmpdir(), "countersign-shell-blocks-"));
const counts = { passed: 0, exempt: 0 };
const failures: string[] = [];
try {
  copyRepository(folder);
  const port = await freeNeighbours();
  for (const page of readRepository().filter(isPage)) await runPage(shellBlocks(page), port);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.log(atTheEnd(failure));
console.log(`Shell blocks: ${counts.passed} passed, ${failures.length} failed, ${counts.exempt} exempt.`);
process.exitCode = failures.length === 0 && counts.passed > 0 ? 0 : 1;

async function runPage(blocks: readonly ShellBlock[], port: number): Promise<void> {
  let server: RunningBlock | undefined;
  for (const block of blocks) {
    if (block.use?.kind !== "meanwhile" && block.use?.kind !== "exempt") server = await end(server);
    await report(block, async () => {
      const options = { text: withPort(block.text, port), cwd: folder, port };
      if (block.use?.kind === "serves") server = await startBlock(options);
      else await runBlock(options);
    });
  }
  await end(server);
}

async function report(block: ShellBlock, run: () => Promise<void>): Promise<void> {
  const name = `${block.path}:${block.line}`;
  if (block.use === undefined || block.use.kind === "exempt") {
    counts.exempt += 1;
    console.log(`exempt  ${name}  ${block.use?.reason ?? "unmarked"}`);
    return;
  }
  try {
    await run();
    counts.passed += 1;
    console.log(`passed  ${name}`);
  } catch (error) {
    fail(`failed  ${name}\n${error instanceof Error ? error.message : error}`);
  }
}

async function end(server: RunningBlock | undefined): Promise<undefined> {
  if (server === undefined) return undefined;
  if (await server.interrupt()) return undefined;
  fail("failed  the block that serves did not stop in order after Ctrl-C");
  return undefined;
}

function fail(failure: string): void {
  failures.push(failure);
  console.log(failure);
}

function withPort(text: string, port: number): string {
  return text
    .replaceAll("8080", String(port))
    .replaceAll("8081", String(port + 1))
    .replaceAll("8082", String(port + 2));
}
