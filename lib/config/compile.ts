import { type ConfigurationArtifact, placeholdersInEffect, writtenPlaceholders } from "./artifact.ts";
import { compileCatalogs } from "./catalogs.ts";
import type { ReadDocument } from "./document-source.ts";
import { createLocator } from "./locator.ts";
import { type ConfigurationMessage, readable } from "./messages.ts";
import { checkPlan } from "./policy-engines.ts";
import { compilePolicies, type RegoCompiler } from "./policy-plans.ts";
import { validate } from "./validate.ts";
import { readYaml } from "./yaml/read.ts";

export interface CompileOptions {
  /** Name of the document for messages. */
  readonly file: string;
  readonly readDocument: ReadDocument;
  /** Absent: a policy in Rego is a mistake. */
  readonly rego?: RegoCompiler;
}

/**
 * The first half of flow 3: YAML text to artifact, without looking at the environment or at secrets. `errors` lists
 * every mistake that can be seen without them, in the order of the text.
 */
export async function compileConfiguration(
  text: string,
  { file, readDocument, rego }: CompileOptions,
): Promise<{ readonly artifact: ConfigurationArtifact } | { readonly errors: readonly ConfigurationMessage[] }> {
  const yaml = readYaml(text, file);
  if (yaml.document === undefined) return { errors: yaml.errors };

  const { document, positions } = yaml;
  const placeholders = placeholdersInEffect(document, yaml.placeholders);
  const written = writtenPlaceholders(placeholders);
  const unreadable = new Set(yaml.errors.map((error) => error.path));
  const unresolved = new Set([...written.keys(), ...unreadable]);
  const { problems } = validate(document, { unresolved, written });
  const compiled = await compileCatalogs(document, { file, readDocument });
  const policies = await compilePolicies(document, rego, checkPlan);

  const locate = createLocator(file, positions, yaml.keyPositions);
  const seen = [...problems, ...compiled.problems, ...policies.problems]
    .map(locate)
    .filter(({ path }) => !unreadable.has(path));
  const errors = [...readable([...yaml.errors, ...seen]), ...compiled.elsewhere];
  if (errors.length > 0) return { errors };
  return {
    artifact: {
      format: 1,
      source: file,
      document,
      placeholders,
      positions: { ...positions },
      catalogs: compiled.catalogs,
      ...(Object.keys(policies.policies).length > 0 && { policies: policies.policies }),
    },
  };
}
