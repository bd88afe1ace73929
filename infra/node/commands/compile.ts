import { basename } from "node:path";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { configurationFile, loadConfiguration } from "../load-configuration.ts";
import { UsageError } from "../usage-error.ts";
import { writeArtifact } from "../write-artifact.ts";

/** `countersign compile -config FILE -out FILE`: the artifact that Workers and Lambda are built with. */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { config, out } = parseFlags(args, { config: "string", out: "string" });
  const file = configurationFile(config, io.environment);
  if (!out) throw new UsageError("No output: name the artifact with -out FILE.");
  const artifact = await loadConfiguration(file);
  await writeArtifact(out, { ...artifact, source: basename(file) });
  const tools = Object.values(artifact.catalogs).reduce((count, catalog) => count + catalog.tools.length, 0);
  io.stderr(`${out}: ${tools} tools, ${artifact.placeholders.length} values filled at run time\n`);
  return 0;
}
