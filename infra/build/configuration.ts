import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigurationError, formatMessage } from "../../lib/config/messages.ts";
import { writeArtifact } from "../node/files/write-artifact.ts";
import { loadEdgeConfiguration } from "../node/load-configuration.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SOURCE = process.env.COUNTERSIGN_EDGE_CONFIG ?? join(ROOT, "examples/edge/countersign.yaml");

/** Compiles the edge configuration for each region: the same YAML, filled with each region's variables at run time. */
const { artifact, warnings } = await loadEdgeConfiguration(SOURCE).catch(refuse);
for (const warning of warnings) process.stderr.write(`${formatMessage(warning)} (warning)\n`);
for (const region of ["us", "uk"]) {
  const file = join(ROOT, "dist/configuration", `${region}.json`);
  await writeArtifact(file, { ...artifact, source: basename(SOURCE) });
  process.stderr.write(`dist/configuration/${region}.json: compiled from ${basename(SOURCE)}\n`);
}

/** Mistakes of the document are told as lines, without the trace of the code that found them. */
function refuse(error: unknown): never {
  if (!(error instanceof ConfigurationError)) throw error;
  for (const message of error.messages) process.stderr.write(`${formatMessage(message)}\n`);
  process.exit(1);
}
