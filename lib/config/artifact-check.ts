import * as z from "zod";
import { isJsonObject } from "../kernel/json.ts";
import type { ConfigurationArtifact, Placeholder } from "./artifact.ts";
import { type Path, pathText, valueAt } from "./path.ts";

const TEXTS = z.array(z.string());
const TEXTS_BY_NAME = z.record(z.string(), z.string());
const OBJECT = z.record(z.string(), z.unknown());

const PLACEHOLDERS = z.array(
  z.object({
    path: z.array(z.union([z.string(), z.int()])).min(1),
    parts: z.array(
      z.union([
        z.strictObject({ text: z.string() }),
        z.strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/) }),
        z.strictObject({ secret: z.string().regex(/^[A-Za-z0-9_.:/-]+$/) }),
      ]),
    ),
    line: z.number(),
    column: z.number(),
  }),
);

const TOOL = z.object({
  ...{ name: z.string(), localName: z.string(), method: z.string(), path: z.string(), details: z.string() },
  ...{ title: z.string().optional(), description: z.string().optional(), tags: TEXTS.optional(), annotations: OBJECT },
  paramHeaders: z.array(z.object({ name: z.string(), path: TEXTS })).optional(),
});

const ASKED = { count: z.number(), example: z.string() };

const CATALOG = z.object({
  tools: z.array(TOOL),
  definitions: z.object({ input: TEXTS_BY_NAME, output: TEXTS_BY_NAME }),
  parts: TEXTS,
  securitySchemes: z.record(z.string(), OBJECT),
  security: z.array(z.object({ alternatives: z.array(TEXTS), ...ASKED })).optional(),
  otherServers: z.array(z.object({ origin: z.string(), ...ASKED })).optional(),
  topics: TEXTS_BY_NAME.optional(),
  excluded: z.number().optional(),
  flaws: z.array(z.object({ lost: z.string(), count: z.number(), examples: TEXTS })).optional(),
  leftOut: z.array(z.object({ operation: z.string(), reason: z.string() })),
});

const POLICY = z.object({ plan: z.unknown(), data: OBJECT, traps: TEXTS });

/** Only the members whose contents are not those of the document itself, which the schema of documents checks. */
const ARTIFACT = z.object({
  placeholders: PLACEHOLDERS,
  positions: z.record(z.string(), z.array(z.number()).min(2).max(3)),
  parts: TEXTS.optional(),
  catalogs: z.record(z.string(), CATALOG),
  policies: z.record(z.string(), z.record(z.string(), POLICY)).optional(),
});

/** More than any document or plan has; what goes through values goes down by calls. */
const MOST_LEVELS = 500;

/**
 * What keeps plain data from being an artifact that `compileConfiguration` could have made; undefined: nothing. Whoever makes one by
 * hand could hide in it what looks at the document do not show: a value that is filled in where nothing stands, a second tool of a name.
 */
export function artifactProblem(value: unknown): string | undefined {
  if (isDeeper(value, MOST_LEVELS)) return `it has more than ${MOST_LEVELS} levels`;
  const parsed = ARTIFACT.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0] as z.core.$ZodIssue;
    const what = issue.code === "invalid_type" ? `found no ${issue.expected}` : issue.code.replaceAll("_", " ");
    return `${pathText(issue.path as Path).slice(0, LONGEST) || "it"}: ${what}`;
  }
  // Not what was parsed: it lacks the key `__proto__`.
  const { document, placeholders, catalogs, policies = {} } = value as ConfigurationArtifact;
  return placeholderProblem(document, placeholders) ?? appProblem(document, catalogs, policies);
}

/** Characters of a place or a name in a message. */
const LONGEST = 200;

function placeholderProblem(document: unknown, placeholders: readonly Placeholder[]): string | undefined {
  const seen = new Set<string>();
  for (const { path, parts } of placeholders) {
    const place = pathText(path);
    const told = `a placeholder at ${place.slice(0, LONGEST)}`;
    // By the text, as all looks at the document have it.
    if (seen.has(place)) return `there is more than one placeholder at ${place.slice(0, LONGEST)}`;
    seen.add(place);
    if (!isEmptyPlace(document, path)) return `there is ${told}, where the document leaves no place for one`;
    if (parts.every((part) => "text" in part)) return `there is ${told} that names no variable and no secret`;
  }
  return undefined;
}

/** Whether there is null; entries of lists go by numbers, so that each place has one text. */
function isEmptyPlace(document: unknown, path: Path): boolean {
  let value = document;
  for (const step of path) {
    if (Array.isArray(value) !== (typeof step === "number")) return false;
    value = valueAt(value, [step]);
  }
  return value === null;
}

function appProblem(
  document: unknown,
  catalogs: ConfigurationArtifact["catalogs"],
  policies: Readonly<Record<string, unknown>>,
): string | undefined {
  const list = valueAt(document, ["apps"]);
  const apps = (Array.isArray(list) ? list : []).filter(isJsonObject).filter(({ name }) => name !== "__proto__");
  const names = new Set(apps.map(({ name }) => name));
  const bridges = new Set(apps.filter(({ type }) => type === "mcpBridge").map(({ name }) => name));
  const stray =
    Object.keys(catalogs).find((name) => !bridges.has(name)) ?? Object.keys(policies).find((name) => !names.has(name));
  if (stray !== undefined) return `it has tools or policies of ${shown(stray)}, which is no such app of the document`;
  const tools = new Set<string>();
  for (const { name } of Object.values(catalogs).flatMap((catalog) => catalog.tools)) {
    if (tools.has(name)) return `it has two tools with the name ${shown(name)}`;
    tools.add(name);
  }
  return undefined;
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, LONGEST));
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}
