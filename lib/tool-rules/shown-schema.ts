import { canonicalJson } from "../kernel/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { nearest } from "../kernel/suggestions.ts";
import type { JsonSchema } from "../openapi/catalog.ts";
import { isValidDataKeyword } from "../openapi/documents/keywords.ts";
import { type ArgumentRule, isKept } from "./argument-rule.ts";

/** What rules make of the schema of a tool's arguments. */
export interface ShownSchema {
  /** As agents see it: closed, by the names that they use. */
  readonly schema: JsonSchema;
  /** The same without the patterns of rules, which take linear time where they are checked (`argument-rules.ts`). */
  readonly checked: JsonSchema;
  /** The server's names by those that agents use. */
  readonly names: ReadonlyMap<string, string>;
}

/** What of a rule, or of the whole entry, does not fit the tool. */
export interface RuleProblem {
  /** The server's name; absent: it is about the tool. */
  readonly argument?: string;
  /** Of the rule; absent: the argument's name. */
  readonly key?: "fix" | "hide" | "name" | "match" | "allow";
  readonly message: string;
}

/**
 * The schema that agents see of a tool with rules, or why rules cannot follow it. It is closed: what it does not declare could be
 * another way to say what a rule keeps.
 */
export function shownSchema(
  schema: unknown,
  rules: readonly ArgumentRule[],
): ShownSchema | { readonly problems: readonly RuleProblem[] } {
  const root = withoutReference(schema);
  const composed = Object.fromEntries(Object.entries(root).filter(([keyword]) => COMPOSING.has(keyword)));
  const properties = isJsonObject(root.properties) ? root.properties : {};
  const asked = Array.isArray(root.required) ? root.required.map(String) : [];
  const declaredBeside = new Set([...inPlace(composed, root).names, ...asked]);
  const known = new Set([...Object.keys(properties), ...declaredBeside]);
  const problems = [
    ...rules.flatMap((rule) => ruleProblems(rule, rules, root, known)),
    ...shapeProblems(root, composed, rules),
  ];
  if (problems.length > 0) return { problems };
  const byArgument = new Map(rules.map((rule) => [rule.argument, rule]));
  const declared = Object.entries(properties).flatMap(([argument, property]) => {
    const rule = byArgument.get(argument);
    if (rule !== undefined && isKept(rule)) return [];
    return [{ argument, shown: rule?.name ?? argument, property, rule }];
  });
  const extra = root.additionalProperties ?? root.unevaluatedProperties ?? true;
  const further = [...declaredBeside]
    .filter((name) => extra !== false && !Object.hasOwn(properties, name))
    .map((name) => ({ argument: name, shown: name, property: extra, rule: undefined }));
  const all = [...declared, ...further];
  const written = (showsPatterns: boolean): JsonSchema => ({
    ...withoutKeywords(root, NOT_SHOWN),
    type: "object",
    properties: Object.fromEntries(
      all.map(({ shown, property, rule }) => [shown, rule ? constrained(property, rule, showsPatterns) : property]),
    ),
    ...requiredOf(root, byArgument),
    additionalProperties: false,
  });
  const accepted = all.filter(({ property }) => property !== false);
  return {
    schema: written(true),
    checked: written(false),
    names: new Map(accepted.map(({ argument, shown }) => [shown, argument])),
  };
}

/** Names that a server that ignores case, or compatible characters, takes for one. */
export function folded(name: string): string {
  return name.normalize("NFKC").toUpperCase().toLowerCase();
}

/** Characters of a text that a pattern is looked for in: matching takes time for each. */
export const LONGEST_MATCHED = 10_000;

/** Keywords whose schemas hold for the arguments themselves. They stay as they are, as long as they say nothing of what rules change. */
const COMPOSING = new Set(
  "allOf anyOf oneOf not if then else dependentSchemas dependentRequired dependencies".split(" "),
);
/** Those that say something of all arguments together, or of names by pattern. */
const NOT_FOLLOWED = "$ref patternProperties propertyNames minProperties maxProperties enum const".split(" ");
/** Examples have values of what is hidden. */
const NOT_SHOWN = new Set(["unevaluatedProperties", "default", "examples", "example"]);
/** References within a schema that hold whatever its arguments are called. */
const STEADY = /^#\/(?:\$defs|definitions)\//;
const DEEPEST = 20;

/** A root that refers to a definition, and says nothing beside it that counts, is that definition. */
function withoutReference(schema: unknown): JsonObject {
  let root = isJsonObject(schema) ? schema : {};
  for (let depth = 0; depth < DEEPEST && typeof root.$ref === "string"; depth += 1) {
    const { $ref, ...rest } = root;
    const target = targetOf($ref, root);
    const isAlone = Object.keys(rest).every((keyword) => BESIDE_REFERENCE.has(keyword));
    if (!isJsonObject(target) || !isAlone) break;
    root = { ...target, ...rest };
  }
  return root;
}

const BESIDE_REFERENCE = new Set("$schema $defs definitions type title description $comment".split(" "));

function targetOf(reference: unknown, root: JsonObject): unknown {
  if (typeof reference !== "string" || !STEADY.test(reference)) return undefined;
  let value: unknown = root;
  for (const token of reference.slice(2).split("/")) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function ruleProblems(
  rule: ArgumentRule,
  rules: readonly ArgumentRule[],
  root: JsonObject,
  known: ReadonlySet<string>,
): readonly RuleProblem[] {
  const { argument, name, hide, fix, allow, match } = rule;
  const others = [...known].filter((other) => other !== argument);
  const { properties } = root;
  const property = isJsonObject(properties) && Object.hasOwn(properties, argument) ? properties[argument] : false;
  if (property === false)
    return [{ argument, message: `is the name of no argument of this tool; ${hint(argument, others)}` }];
  const about = (key: NonNullable<RuleProblem["key"]>, message: string) => ({ argument, key, message });
  const twin = others.find((other) => folded(other) === folded(argument));
  const isRequired = Array.isArray(root.required) && root.required.includes(argument);
  const renamed = rules.flatMap((other) => (other !== rule && other.name !== undefined ? [other.name] : []));
  const clash =
    name === undefined ? undefined : [argument, ...others, ...renamed].find((other) => folded(other) === folded(name));
  const isText = takesText(property);
  return [
    ...(twin === undefined
      ? []
      : [{ argument, message: `differs in case alone from the argument ${twin}, which a server may take for it` }]),
    ...(hide && isRequired
      ? [about("hide", "the argument is required, so that no call would be accepted; accepted: fix")]
      : []),
    ...(clash === undefined
      ? []
      : [about("name", `"${name}" is the name of an argument already; accepted: a name that none has`)]),
    ...(match !== undefined && !isText
      ? [about("match", "the argument takes no text; accepted: an argument of type string")]
      : []),
    ...(fix !== undefined && "parts" in fix && !isText
      ? [about("fix", "the argument takes no text; accepted: a value of its type")]
      : []),
    ...(allow !== undefined && allowed(property, allow).length === 0
      ? [about("allow", "the tool's schema accepts none of these values; accepted: some of its enum")]
      : []),
  ];
}

function hint(mistyped: string, known: readonly string[]): string {
  const meant = nearest(mistyped, known);
  if (meant !== undefined) return `did you mean "${meant}"?`;
  return known.length === 0 ? "it has none" : `accepted: ${known.slice(0, 20).join(", ")}`;
}

function takesText(property: unknown): boolean {
  const type = isJsonObject(property) ? property.type : undefined;
  return type === undefined || [type].flat().includes("string");
}

function shapeProblems(root: JsonObject, composed: JsonObject, rules: readonly ArgumentRule[]): readonly RuleProblem[] {
  const changed = new Set(
    rules.filter((rule) => isKept(rule) || rule.name !== undefined).map(({ argument }) => argument),
  );
  const not = (what: string) => [{ message: `the schema of its arguments ${what}, which rules cannot follow` }];
  const type = root.type === undefined ? "object" : root.type;
  if (type !== "object") return not("is not that of an object");
  const keyword = NOT_FOLLOWED.find((one) => root[one] !== undefined);
  if (keyword !== undefined) return not(`has ${keyword} at its root`);
  const reference = referencesIn(root).find((one) => !isSteady(one, root));
  if (reference !== undefined) return not(`refers to ${JSON.stringify(reference)}`);
  const { unevaluatedProperties = true } = root;
  const isComposed = Object.keys(composed).length > 0;
  if (isComposed && unevaluatedProperties !== true) return not("has unevaluatedProperties beside other schemas");
  const { isClosing, mentioned } = inPlace(composed, root);
  if (isClosing) return not("has schemas beside it that say something of all arguments");
  const said = [...changed].find((name) => mentioned.has(name));
  return said === undefined ? [] : not(`has conditions on ${said}`);
}

function isSteady(reference: unknown, root: JsonObject): boolean {
  return targetOf(reference, root) !== undefined;
}

/** All references of a schema, wherever they stand. */
function referencesIn(schema: unknown): readonly unknown[] {
  const found: unknown[] = [];
  const pending: unknown[] = [schema];
  const seen = new Set<unknown>();
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const [keyword, inner] of Object.entries(value)) {
      if (["$ref", "$dynamicRef", "$recursiveRef"].includes(keyword) && typeof inner === "string")
        found.push(keyword === "$ref" ? inner : keyword);
      else pending.push(inner);
    }
  }
  return found;
}

interface InPlace {
  /** Of arguments that the schemas declare or ask for. */
  readonly names: ReadonlySet<string>;
  /** Every text and every name of a member: more than what is meant, never less. */
  readonly mentioned: ReadonlySet<string>;
  /** One of them says something of all arguments. */
  readonly isClosing: boolean;
}

const CLOSING = [...NOT_FOLLOWED.slice(1), "additionalProperties", "unevaluatedProperties"];

/** What schemas say that hold for the arguments themselves, references followed. */
function inPlace(composed: JsonObject, root: JsonObject): InPlace {
  const names = new Set<string>();
  const mentioned = new Set<string>();
  const [seen, read] = [new Set<unknown>(), new Set<unknown>()];
  let isClosing = false;
  const mention = (value: unknown): void => {
    if (typeof value === "string") mentioned.add(value);
    if (typeof value !== "object" || value === null || read.has(value)) return;
    read.add(value);
    for (const [key, inner] of Object.entries(value)) {
      mentioned.add(key);
      mention(inner);
    }
  };
  const visit = (schema: unknown): void => {
    if (Array.isArray(schema)) for (const one of schema) visit(one);
    if (!isJsonObject(schema) || seen.has(schema)) return;
    seen.add(schema);
    mention(schema);
    if (CLOSING.some((keyword) => schema[keyword] !== undefined && schema[keyword] !== true)) isClosing = true;
    if (isJsonObject(schema.properties)) for (const name of Object.keys(schema.properties)) names.add(name);
    if (Array.isArray(schema.required)) for (const name of schema.required) names.add(String(name));
    if (schema.$ref !== undefined) visit(targetOf(schema.$ref, root));
    visitComposed(schema);
  };
  const visitComposed = (schema: JsonObject): void => {
    for (const keyword of COMPOSING) {
      const value = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
      if (!BY_NAME.has(keyword)) visit(value);
      else if (isJsonObject(value)) {
        mention(value);
        for (const [name, inner] of Object.entries(value)) {
          names.add(name);
          if (Array.isArray(inner)) for (const other of inner) names.add(String(other));
          else visit(inner);
        }
      }
    }
  };
  visitComposed(composed);
  return { names, mentioned, isClosing };
}

const BY_NAME = new Set(["dependentSchemas", "dependentRequired", "dependencies"]);

function requiredOf(
  root: JsonObject,
  rules: ReadonlyMap<string, ArgumentRule>,
): { readonly required?: readonly string[] } {
  if (!Array.isArray(root.required)) return {};
  const required = root.required.flatMap((argument: unknown) => {
    const rule = rules.get(String(argument));
    if (rule === undefined) return [String(argument)];
    return isKept(rule) ? [] : [rule.name ?? rule.argument];
  });
  return { required };
}

function constrained(property: unknown, { allow, match }: ArgumentRule, showsPatterns: boolean): unknown {
  if (allow === undefined && match === undefined) return property;
  const base = withoutKeywords(isJsonObject(property) ? property : {}, NOT_SHOWN);
  const listed = allow === undefined ? base : { ...base, enum: allowed(property, allow) };
  if (match === undefined) return listed;
  const { maxLength } = base;
  const longest = typeof maxLength === "number" ? Math.min(maxLength, LONGEST_MATCHED) : LONGEST_MATCHED;
  const text = { ...listed, type: "string", maxLength: longest };
  if (!showsPatterns || !isShowable(match)) return text;
  return base.pattern === undefined
    ? { ...text, pattern: match }
    : { ...text, allOf: [...(Array.isArray(base.allOf) ? base.allOf : []), { pattern: match }] };
}

function allowed(property: unknown, allow: readonly unknown[]): readonly unknown[] {
  if (!isJsonObject(property) || !Array.isArray(property.enum)) return allow;
  const known = new Set(property.enum.map(canonicalJson));
  return allow.filter((value) => known.has(canonicalJson(value)));
}

/** Whether clients read a pattern as it is meant. ECMAScript's `\s` takes more characters than RE2's. */
function isShowable(pattern: string): boolean {
  return isValidDataKeyword("pattern", pattern) && !/\\s/i.test(pattern);
}

function withoutKeywords(schema: JsonObject, keywords: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.has(keyword)));
}
