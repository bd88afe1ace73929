import { basename } from "node:path";
import { formatMessage } from "../../../lib/config/messages.ts";
import { configurationFile } from "../configuration-file.ts";
import { writeArtifact } from "../files/write-artifact.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { loadEdgeConfiguration } from "../load-configuration.ts";
import { UsageError } from "../usage-error.ts";
import { countTools } from "./catalog-summary.ts";

/** `countersign compile -config FILE -out FILE`: the artifact that Workers and Lambda are built with. */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { config, out } = parseFlags(args, { config: "string", out: "string" });
  const file = configurationFile(config, io.environment);
  if (!out) throw new UsageError("No output: name the artifact with -out FILE.");
  const { artifact, warnings } = await loadEdgeConfiguration(file);
  for (const warning of warnings) io.stderr(`${formatMessage(warning)} (warning)\n`);
  await writeArtifact(out, { ...artifact, source: basename(file) });
  io.stderr(
    `${out}: ${countTools(artifact) ?? "no tools"}; ${artifact.placeholders.length} values filled at run time\n`,
  );
  return 0;
}
