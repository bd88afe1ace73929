import { VERSION } from "../../../lib/kernel/version.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";

/** `countersign -version`: name and version on one line. */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  parseFlags(args, {});
  io.stdout(`countersign ${VERSION}\n`);
  return 0;
}
