import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { compileDocument } from "../../lib/config/compile.ts";
import { ConfigurationError, type ConfigurationMessage } from "../../lib/config/messages.ts";
import { checkAhead } from "../../lib/config/resolve.ts";
import { readConfiguration } from "./configuration-document.ts";
import { documentReader } from "./files/read-document.ts";
import { regoCompiler } from "./files/rego-compiler.ts";
import type { ReadDocument } from "./start-failure.ts";

/**
 * Reads and compiles a configuration, a file or a folder; OpenAPI documents are read relative to it.
 * @throws ConfigurationError with every mistake, also when the file cannot be read
 */
export async function loadConfiguration(file: string): Promise<ConfigurationArtifact> {
  const { yaml, folder } = await readConfiguration(file);
  const compiled = await compileDocument(yaml, {
    ...{ file, readDocument: documentReader(folder), rego: regoCompiler(folder, process.env) },
  });
  if ("errors" in compiled) throw new ConfigurationError(compiled.errors);
  return compiled.artifact;
}

/** What of the document is readable in spite of its mistakes. */
export async function readAsFarAsPossible(file: string): Promise<ReadDocument | undefined> {
  try {
    return (await readConfiguration(file)).yaml;
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
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
