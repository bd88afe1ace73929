import manifest from "../../../package.json" with { type: "json" };
import type { CommandIo } from "../io.ts";

/** `countersign -version`: name and version on one line. */
export async function run(_args: readonly string[], io: CommandIo): Promise<number> {
  io.stdout(`${manifest.name} ${manifest.version}\n`);
  return 0;
}
