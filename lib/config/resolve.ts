import { type ConfigurationArtifact, placeholderText } from "./artifact.ts";
import { assemble } from "./assemble/assemble.ts";
import type { Configuration } from "./configuration.ts";
import { type FillSources, fillPlaceholders } from "./fill.ts";
import { ConfigurationError, type ConfigurationMessage, inTextOrder } from "./messages.ts";
import { pathText } from "./path.ts";
import { createLocator } from "./position.ts";
import type { Problem } from "./rules/rule.ts";
import { validate } from "./validate.ts";
import { warningsAbout } from "./warnings.ts";

export type Runtime = "node" | "workers" | "lambda";

export interface ResolveOptions extends FillSources {
  readonly runtime: Runtime;
}

/**
 * The second half of flow 3: fills the placeholders, checks the whole document again, applies defaults and computes
 * absolute URLs.
 * @throws ConfigurationError that lists every mistake
 */
export async function resolveConfiguration(
  artifact: ConfigurationArtifact,
  options: ResolveOptions,
): Promise<{ readonly configuration: Configuration; readonly warnings: readonly ConfigurationMessage[] }> {
  if (artifact.format !== 1) throw foreignFormat(artifact);
  const locate = createLocator(artifact.source, artifact.positions);
  const fail = (problems: readonly Problem[]) => new ConfigurationError(problems.map(locate).sort(inTextOrder));

  const { placeholders } = artifact;
  const document = structuredClone(artifact.document);
  const filled = await fillPlaceholders(document, placeholders, options);
  const written = new Map(
    placeholders.map((placeholder) => [pathText(placeholder.path), placeholderText(placeholder)]),
  );
  const checked = validate(document, { unresolved: filled.unresolved, written });
  const problems = [...filled.problems, ...checked.problems];
  if (problems.length > 0 || checked.document === undefined) throw fail(problems);

  const assembled = await assemble(checked.document, artifact.catalogs, options.runtime);
  if ("problems" in assembled) throw fail(assembled.problems);
  return {
    configuration: assembled.configuration,
    warnings: warningsAbout(document, assembled.configuration, options.runtime).map(locate),
  };
}

function foreignFormat({ source, format }: { readonly source: string; readonly format: unknown }): ConfigurationError {
  const message = `found artifact format ${String(format)}; accepted: 1; compile the configuration again`;
  return new ConfigurationError([{ file: source, line: 1, column: 1, path: "", message }]);
}
