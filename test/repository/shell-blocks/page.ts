import type { ShellBlock, ShellBlockUse } from "../rules/shell-blocks.ts";
import type { BlockRecord } from "./record.ts";
import { type RunningBlock, runBlock, startBlock } from "./shell.ts";
import type { StandIns } from "./stand-ins.ts";

/** Where a page runs. */
export interface Place {
  /** A copy of the repository. */
  readonly cwd: string;
  /** The first of five neighbouring free ones. */
  readonly port: number;
  readonly standIns: StandIns;
}

interface Server {
  readonly block: ShellBlock;
  readonly running: RunningBlock;
}

/** Blocks before which the server of an earlier one is not stopped. */
const KEEPS_SERVER: readonly (ShellBlockUse["kind"] | undefined)[] = ["meanwhile", "exempt", undefined];

/**
 * Runs the blocks of a page from top to bottom, as a reader would.
 *
 * @param firstEnded is awaited when the first block has run, or is up if it serves, whatever became of it
 */
export async function runPage(
  blocks: readonly ShellBlock[],
  place: Place,
  record: BlockRecord,
  firstEnded?: () => Promise<void>,
): Promise<void> {
  let server: Server | undefined;
  try {
    for (const [index, block] of blocks.entries()) {
      if (!KEEPS_SERVER.includes(block.use?.kind)) {
        await end(server, record);
        server = undefined;
      }
      const running = await run(block, place, record);
      if (running !== undefined) server = { block, running };
      if (index === 0) await firstEnded?.();
    }
  } finally {
    await end(server, record);
  }
}

/** Returns the block when it stays up. */
async function run(
  block: ShellBlock,
  { cwd, port, standIns }: Place,
  record: BlockRecord,
): Promise<RunningBlock | undefined> {
  if (block.use === undefined || block.use.kind === "exempt") {
    record.exempt(block, block.use?.reason ?? "unmarked");
    return undefined;
  }
  const startedAt = performance.now();
  const options = { text: standIns.put(withPort(block.text, port)), cwd, port };
  try {
    const running = block.use.kind === "serves" ? await startBlock(options) : await runBlock(options);
    record.passed(block, (performance.now() - startedAt) / 1000);
    return running ?? undefined;
  } catch (error) {
    record.failed(block, error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

async function end(server: Server | undefined, record: BlockRecord): Promise<void> {
  if (server === undefined || (await server.running.interrupt())) return;
  record.failed(server.block, "It did not stop in order after Ctrl-C.");
}

/** With free ports in the place of those that the pages name. */
export function withPort(text: string, port: number): string {
  return text
    .replaceAll("8080", String(port))
    .replaceAll("8081", String(port + 1))
    .replaceAll("8082", String(port + 2))
    .replaceAll("8083", String(port + 3));
}
