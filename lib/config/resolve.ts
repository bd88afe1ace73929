import { SecretError, type SecretProvider } from "../secrets/provider.ts";
import { type ConfigurationArtifact, withStandIns, writtenPlaceholders } from "./artifact.ts";
import { assemble } from "./assemble/assemble.ts";
import type { Configuration, Runtime } from "./configuration.ts";
import { type FilledParts, type FillSources, fillPlaceholders } from "./fill.ts";
import { createLocator } from "./locator.ts";
import { ConfigurationError, type ConfigurationMessage, inTextOrder, readable } from "./messages.ts";
import { valueAt } from "./path.ts";
import { secretTexts } from "./redaction.ts";
import type { Problem, Rule } from "./rules/rule.ts";
import { edgeListenerRules, edgeRules, lambdaRules, workersRules } from "./rules/runtimes.ts";
import { validate } from "./validate.ts";
import { warningsAbout } from "./warnings.ts";

export interface ResolveOptions extends FillSources {
  readonly runtime: Runtime;
  /** Told of each text that the schema marks as secret, before anything is made of it. */
  readonly onSecret?: ((text: string) => void) | undefined;
}

export interface ResolvedConfiguration {
  readonly configuration: Configuration;
  readonly warnings: readonly ConfigurationMessage[];
  /** The filled document, secrets included: for looking at, not for keeping. */
  readonly document: unknown;
}

/** What only one runtime refuses. */
const RUNTIME_RULES: Readonly<Record<Runtime, readonly Rule[]>> = {
  node: [],
  workers: [edgeRules, edgeListenerRules, workersRules],
  lambda: [edgeRules, edgeListenerRules, lambdaRules],
};

/**
 * The second half of flow 3: fills the placeholders, checks the whole document again, applies defaults and computes
 * absolute URLs.
 * @throws ConfigurationError that lists every mistake
 */
export async function resolveConfiguration(
  artifact: ConfigurationArtifact,
  options: ResolveOptions,
): Promise<ResolvedConfiguration> {
  if (artifact.format !== 1) throw foreignFormat(artifact);
  const locate = createLocator(artifact.source, artifact.positions, artifact);
  const fail = (problems: readonly Problem[]) => new ConfigurationError(readable(problems.map(locate)));

  const { placeholders, catalogs, policies = {} } = artifact;
  const { runtime, onSecret } = options;
  const document = structuredClone(artifact.document);
  const filled = await fillPlaceholders(document, placeholders, options);
  if (onSecret !== undefined) [...secretTexts(document), ...partsOfTexts(filled.withSecrets)].forEach(onSecret);
  const written = writtenPlaceholders(placeholders);
  const checked = validate(document, { unresolved: filled.unresolved, written }, RUNTIME_RULES[runtime]);
  const problems = [...filled.problems, ...checked.problems];
  if (problems.length > 0 || checked.document === undefined) throw fail(problems);

  const assembled = await assemble(checked.document, catalogs, {
    ...{ runtime, written, policies },
    withSecrets: filled.withSecrets,
  });
  if ("problems" in assembled) throw fail(assembled.problems);
  const { published } = artifact;
  const configuration = { ...assembled.configuration, ...(published !== undefined && { published }) };
  const { publicURL, vaultKeys } = configuration;
  // They may be written in another way than they are used.
  if (onSecret !== undefined) vaultKeys.forEach(onSecret);
  return {
    configuration,
    document,
    warnings: warningsAbout({ document, catalogs, policies, runtime, publicURL }).map(locate).sort(inTextOrder),
  };
}

/** Secrets that stand beside other text: the schema marks the whole. */
function partsOfTexts(withSecrets: ReadonlyMap<string, FilledParts>): readonly string[] {
  return [...withSecrets.values()]
    .filter(({ length }) => length > 1)
    .flatMap((parts) => parts.filter(({ isSecret }) => isSecret).map(({ text }) => text));
}

/**
 * What can be said about an artifact for a runtime before its placeholders are filled; where these are mere secrets, that is
 * all.
 * @throws ConfigurationError that lists every mistake that can be seen already
 */
export async function checkAhead(
  artifact: ConfigurationArtifact,
  runtime: Runtime,
): Promise<readonly ConfigurationMessage[]> {
  const { source, positions, document, placeholders, catalogs, policies = {} } = artifact;
  const whole = withStandIns(artifact);
  if (whole !== undefined) {
    return (await resolveConfiguration(whole, { environment: {}, secrets: NO_SECRETS, runtime })).warnings;
  }
  const locate = createLocator(source, positions, artifact);
  const written = writtenPlaceholders(placeholders);
  const { problems } = validate(document, { unresolved: new Set(written.keys()), written }, RUNTIME_RULES[runtime]);
  if (problems.length > 0) throw new ConfigurationError(readable(problems.map(locate)));
  const configured = valueAt(document, ["http", "publicURL"]);
  const publicURL = typeof configured === "string" ? configured : undefined;
  return warningsAbout({ document, catalogs, policies, runtime, publicURL }).map(locate).sort(inTextOrder);
}

const NO_SECRETS: SecretProvider = {
  get: (reference) => Promise.reject(new SecretError(`the secret <${reference}> is not looked at`)),
};

function foreignFormat({ source, format }: { readonly source: string; readonly format: unknown }): ConfigurationError {
  const message = `found artifact format ${String(format)}; accepted: 1; compile the configuration again`;
  return new ConfigurationError([{ file: source, line: 1, column: 1, path: "", message }]);
}
