import { isJsonObject } from "../../kernel/json.ts";
import type { JsonSchema } from "../../openapi/catalog.ts";
import { definitionName } from "../../openapi/catalog-texts.ts";
import type { ListedTool } from "../tool-index.ts";

/** Characters of one definition, a quarter as many tokens. The largest of well-known APIs are more than three times as long. */
const MAX_LENGTH = 40_000;
/** Characters of its description, where it is too long. */
const MAX_DESCRIPTION = 10_000;

interface Thinning {
  /** Characters of each description. */
  readonly words: number;
  /** How many references away from the arguments definitions are told; farther away, anything is said to be accepted. */
  readonly distance: number;
}

/** What a schema loses to become short: first words, then what is far from the arguments. */
const STEPS: readonly Thinning[] = [
  { words: 80, distance: Number.POSITIVE_INFINITY },
  { words: 0, distance: Number.POSITIVE_INFINITY },
  ...[8, 7, 6, 5, 4, 3, 2, 1, 0].map((distance) => ({ words: 0, distance })),
];

/** What hosts show people, and what calls do not need. */
const NOT_FOR_MODELS: ReadonlySet<string> = new Set(["outputSchema", "icons", "_meta"]);

/** The definition of a tool as JSON text, without its output schema; of a very large input schema what has room. */
export function definitionText(definition: ListedTool): string {
  const told = Object.entries(definition).filter(([member]) => !NOT_FOR_MODELS.has(member));
  const whole = JSON.stringify(Object.fromEntries(told));
  if (whole.length <= MAX_LENGTH) return whole;
  const { name, description = "", inputSchema } = definition;
  const note = `${cut(description, MAX_DESCRIPTION)}\n\nThe input schema is shortened, because it is very large. Calls are checked against all of it.`;
  for (const step of STEPS) {
    const text = JSON.stringify({ name, description: note, inputSchema: shortened(inputSchema, step) });
    if (text.length <= MAX_LENGTH) return text;
  }
  return JSON.stringify({ name, description: note, inputSchema: { type: "object" } });
}

function shortened({ $defs, ...schema }: JsonSchema, { words, distance }: Thinning): JsonSchema {
  const root = thinned(schema, words) as JsonSchema;
  if (!isJsonObject($defs)) return root;
  const definitions = new Map<string, unknown>();
  let reached = referencesIn(root);
  for (let far = 1; reached.size > 0; far++) {
    const next = new Set<string>();
    for (const name of reached) {
      const isTold = far <= distance && Object.hasOwn($defs, name);
      const definition = isTold ? thinned($defs[name], words) : {};
      definitions.set(name, definition);
      for (const further of referencesIn(definition)) next.add(further);
    }
    reached = new Set([...next].filter((name) => !definitions.has(name)));
  }
  return { ...root, $defs: Object.fromEntries(definitions) };
}

function referencesIn(schema: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const open: unknown[] = [schema];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== "object" || node === null) continue;
    const name = definitionName((node as JsonSchema).$ref);
    if (name !== undefined) found.add(name);
    open.push(...Object.values(node).filter((value) => typeof value === "object"));
  }
  return found;
}

/** Keywords whose members are schemas by name. */
const MAPS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "properties",
  "patternProperties",
  "dependentSchemas",
]);
/** Keywords whose values are data, whatever they look like. */
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "required", "type"]);
const UNNEEDED: ReadonlySet<string> = new Set(["examples", "example", "title", "$comment"]);

/** A schema, or a list of them, with shorter descriptions and without what says nothing about what is accepted. */
function thinned(schema: unknown, words: number): unknown {
  if (Array.isArray(schema)) return schema.map((member) => thinned(member, words));
  if (!isJsonObject(schema)) return schema;
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (UNNEEDED.has(keyword)) return [];
    if (DATA.has(keyword)) return [[keyword, value]];
    if (keyword === "description")
      return typeof value !== "string" || words === 0 ? [] : [[keyword, cut(value, words)]];
    return [[keyword, MAPS.has(keyword) ? thinnedMembers(value, words) : thinned(value, words)]];
  });
  return Object.fromEntries(entries);
}

function thinnedMembers(members: unknown, words: number): unknown {
  if (!isJsonObject(members)) return members;
  return Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, thinned(schema, words)]));
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}
