import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { ConfigurationError, type ConfigurationMessage } from "../../lib/config/messages.ts";
import { checkAhead } from "../../lib/config/resolve.ts";
import { fileErrorReason } from "./files/file-error.ts";
import { documentReader } from "./files/read-document.ts";
import { UsageError } from "./usage-error.ts";

/** The file that `-config` or SVC_CONFIG names; the flag wins. */
export function configurationFile(
  flag: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const file = flag || environment.SVC_CONFIG;
  if (file) return file;
  throw new UsageError("No configuration: name a YAML file with -config FILE or with the variable SVC_CONFIG.");
}

/**
 * Reads and compiles a configuration file; OpenAPI documents are read relative to it.
 * @throws ConfigurationError with every mistake, also when the file cannot be read
 */
export async function loadConfiguration(file: string): Promise<ConfigurationArtifact> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    const message = `cannot be read: ${fileErrorReason(error)}`;
    throw new ConfigurationError([{ file, line: 1, column: 1, path: "", message }]);
  });
  const compiled = await compileConfiguration(text, { file, readDocument: documentReader(dirname(file)) });
  if ("errors" in compiled) throw new ConfigurationError(compiled.errors);
  return compiled.artifact;
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
