import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { ConfigurationError, type ConfigurationMessage } from "../../lib/config/messages.ts";
import { checkAhead } from "../../lib/config/resolve.ts";
import { decodeYaml } from "../../lib/config/yaml/decode.ts";
import { readYaml } from "../../lib/config/yaml/read.ts";
import { fileErrorReason } from "./files/file-error.ts";
import { documentReader } from "./files/read-document.ts";
import { regoCompiler } from "./files/rego-compiler.ts";
import type { ReadDocument } from "./start-failure.ts";

/**
 * Reads and compiles a configuration file; OpenAPI documents are read relative to it.
 * @throws ConfigurationError with every mistake, also when the file cannot be read
 */
export async function loadConfiguration(file: string): Promise<ConfigurationArtifact> {
  const bytes = await readFile(file).catch((error: unknown) => {
    const message = `cannot be read: ${fileErrorReason(error)}`;
    throw new ConfigurationError([{ file, line: 1, column: 1, path: "", message }]);
  });
  const decoded = decodeYaml(bytes, file);
  if ("errors" in decoded) throw new ConfigurationError(decoded.errors);
  const folder = dirname(file);
  const compiled = await compileConfiguration(decoded.text, {
    ...{ file, readDocument: documentReader(folder), rego: regoCompiler(folder, process.env) },
  });
  if ("errors" in compiled) throw new ConfigurationError(compiled.errors);
  return compiled.artifact;
}

/** What of the file's document is readable in spite of its mistakes. */
export async function readAsFarAsPossible(file: string): Promise<ReadDocument | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  const decoded = bytes === undefined ? undefined : decodeYaml(bytes, file);
  return decoded !== undefined && "text" in decoded ? readYaml(decoded.text, file) : undefined;
}

/**
 * A configuration for Workers and Lambda, checked as far as it can be without its variables and secrets. What only
 * Lambda refuses is a warning: the artifact may be for Workers.
 * @throws ConfigurationError with every mistake
 */
export async function loadEdgeConfiguration(
  file: string,
): Promise<{ readonly artifact: ConfigurationArtifact; readonly warnings: readonly ConfigurationMessage[] }> {
  const artifact = await loadConfiguration(file);
  const warnings = await checkAhead(artifact, "workers");
  const onLambda = await checkAhead(artifact, "lambda").then(
    () => [],
    (error: unknown) => {
      if (error instanceof ConfigurationError) return error.messages;
      throw error;
    },
  );
  return { artifact, warnings: [...warnings, ...onLambda] };
}
