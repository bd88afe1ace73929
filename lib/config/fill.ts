import { SecretError, type SecretProvider } from "../secrets/provider.ts";
import type { Placeholder, PlaceholderPart } from "./artifact.ts";
import { type Path, pathText, setValueAt } from "./path.ts";
import type { Problem } from "./rules/rule.ts";
import { documentSchema } from "./schema/document.ts";
import { schemasAt } from "./schema/secrecy.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface FillSources {
  readonly environment: Environment;
  readonly secrets: SecretProvider;
}

/** A text with a secret in it, as it was put together. */
export type FilledParts = readonly { readonly text: string; readonly isSecret: boolean }[];

/**
 * Puts the values of placeholders into `document`; all secrets are fetched at the same time. A value is text whatever it
 * holds, so that it can never add structure; where the schema wants a number or a boolean and the text is one, it becomes one.
 */
export async function fillPlaceholders(
  document: unknown,
  placeholders: readonly Placeholder[],
  sources: FillSources,
): Promise<{
  readonly problems: readonly Problem[];
  readonly unresolved: ReadonlySet<string>;
  /** Of the texts that have a secret in them, by path text. */
  readonly withSecrets: ReadonlyMap<string, FilledParts>;
}> {
  const lookup = await lookUpAll(placeholders, sources);
  const problems: Problem[] = [];
  const unresolved = new Set<string>();
  const withSecrets = new Map<string, FilledParts>();
  for (const { path, parts } of placeholders) {
    const found = parts.map((part) => ("text" in part ? { value: part.text } : (lookup.get(keyOf(part)) as Found)));
    const missing = found.filter((one) => "problem" in one);
    if (missing.length === 0) {
      const texts = found.map((one) => ("value" in one ? one.value : ""));
      setValueAt(document, path, coerced(texts.join(""), path));
      if (parts.some(isSecret)) {
        const filled = parts.map((part, index) => ({ text: texts[index] as string, isSecret: isSecret(part) }));
        withSecrets.set(pathText(path), filled);
      }
    } else unresolved.add(pathText(path));
    for (const { problem } of missing) problems.push({ path, message: problem });
  }
  return { problems, unresolved, withSecrets };
}

function isSecret(part: PlaceholderPart): boolean {
  return "secret" in part;
}

type Found = { readonly value: string } | { readonly problem: string };

async function lookUpAll(placeholders: readonly Placeholder[], sources: FillSources): Promise<Map<string, Found>> {
  const parts = new Map<string, PlaceholderPart>();
  for (const part of placeholders.flatMap((placeholder) => placeholder.parts)) parts.set(keyOf(part), part);
  const found = [...parts].map(async ([key, part]): Promise<[string, Found]> => [key, await lookUp(part, sources)]);
  return new Map(await Promise.all(found));
}

async function lookUp(part: PlaceholderPart, { environment, secrets }: FillSources): Promise<Found> {
  if ("text" in part) return { value: part.text };
  if ("env" in part) {
    const value = Object.hasOwn(environment, part.env) ? environment[part.env] : undefined;
    return typeof value === "string" ? { value } : { problem: `the environment variable ${part.env} is not set` };
  }
  try {
    return { value: await secrets.get(part.secret) };
  } catch (error) {
    if (error instanceof SecretError) return { problem: error.message };
    throw error;
  }
}

function keyOf(part: PlaceholderPart): string {
  if ("text" in part) return `text ${part.text}`;
  return "env" in part ? `env ${part.env}` : `secret ${part.secret}`;
}

/** What the text of a placeholder becomes where the schema wants a number or a boolean and nothing else. */
function coerced(text: string, path: Path): unknown {
  const types = schemasAt(documentSchema, path).map((schema) => schema._zod.def.type);
  // A word beside a number stays the word.
  const [type, ...others] = new Set(types.filter((one) => one !== "literal"));
  if (type === undefined || others.length > 0) return text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return type === "number" && /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
}
