import { type ConfigurationArtifact, placeholdersInEffect, writtenPlaceholders } from "./artifact.ts";
import { type CompiledBefore, compileCatalogs } from "./catalogs.ts";
import type { ReadDocument } from "./document-source.ts";
import { createLocator, partFile } from "./locator.ts";
import { type ConfigurationMessage, readable } from "./messages.ts";
import { checkPlan } from "./policy-engines.ts";
import { compilePolicies, type RegoCompiler } from "./policy-plans.ts";
import { validate } from "./validate.ts";
import type { YamlDocument } from "./yaml/plain.ts";
import { readYaml } from "./yaml/read.ts";

export interface CompileOptions {
  /** Name of the document, a file or a folder, for messages. */
  readonly file: string;
  readonly readDocument: ReadDocument;
  /** Absent: a policy in Rego is a mistake. */
  readonly rego?: RegoCompiler;
  /** Serves what cannot be read or compiled here. */
  readonly before?: CompiledBefore | undefined;
}

export type CompiledConfiguration =
  | { readonly artifact: ConfigurationArtifact }
  | { readonly errors: readonly ConfigurationMessage[] };

/**
 * The first half of flow 3: YAML text to artifact, without looking at the environment or at secrets. `errors` lists
 * every mistake that can be seen without them, in the order of the text.
 */
export async function compileConfiguration(text: string, options: CompileOptions): Promise<CompiledConfiguration> {
  return compileDocument(readYaml(text, options.file), options);
}

/** The same from a document that was read before, as one file or as a folder of them. */
export async function compileDocument(
  yaml: YamlDocument,
  { file, readDocument, rego, before }: CompileOptions,
): Promise<CompiledConfiguration> {
  if (yaml.document === undefined) return { errors: yaml.errors };

  const { document, positions, parts } = yaml;
  // What other files are relative to.
  const base = parts === undefined ? file : partFile(file, "");
  const placeholders = placeholdersInEffect(document, yaml.placeholders);
  const written = writtenPlaceholders(placeholders);
  const unreadable = new Set(yaml.errors.map((error) => error.path));
  const unresolved = new Set([...written.keys(), ...unreadable]);
  const { problems } = validate(document, { unresolved, written });
  const compiled = await compileCatalogs(document, { file: base, readDocument }, before);
  const policies = await compilePolicies(document, rego, checkPlan, before?.policy);

  const locate = createLocator(file, positions, yaml);
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
      ...(parts !== undefined && { parts }),
      catalogs: compiled.catalogs,
      ...(Object.keys(policies.policies).length > 0 && { policies: policies.policies }),
    },
  };
}
