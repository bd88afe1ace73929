import { isDeepStrictEqual } from "node:util";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { JsonSchema } from "../../../lib/openapi/catalog.ts";

/** Schemas of one document, which share definitions, and Ajv's judgement of values under them. */
export interface SchemaSet {
  /** A schema that stands alone, with its references as this set knows them. */
  readonly link: (schema: JsonSchema) => JsonSchema;
  /** What a linked reference stands for. */
  readonly target: (reference: string) => unknown;
  /** Ajv's function for a linked schema; compiled once, each definition once for all schemas that are linked. */
  readonly validator: (schema: object) => ValidateFunction;
}

export function createSchemaSet(): SchemaSet {
  const ajv = createAjv();
  const known = new Map<string, { readonly definition: unknown; readonly reference: string }[]>();
  const targets = new Map<string, unknown>();
  const validators = new WeakMap<object, ValidateFunction>();

  /** The reference of a definition; the same for equal definitions of one name. */
  function referenceOf(name: string, definition: unknown): { readonly reference: string; readonly isNew: boolean } {
    const named = known.get(name) ?? [];
    const found =
      named.find((one) => one.definition === definition) ??
      named.find((one) => isDeepStrictEqual(one.definition, definition));
    if (found !== undefined) return { reference: found.reference, isNew: false };
    const reference = `d:${targets.size + 1}`;
    targets.set(reference, definition);
    known.set(name, [...named, { definition, reference }]);
    return { reference, isNew: true };
  }

  function link({ $defs, ...schema }: JsonSchema): JsonSchema {
    const definitions = Object.entries(($defs ?? {}) as JsonSchema).map(([name, definition]) => {
      return { name, definition, ...referenceOf(name, definition) };
    });
    const references = new Map(definitions.map(({ name, reference }) => [`#/$defs/${name}`, reference]));
    for (const { definition, reference } of definitions.filter(({ isNew }) => isNew)) {
      const target = linked(definition, references);
      targets.set(reference, target);
      acceptFormats(ajv, target);
      // A definition that is a schema of its own is compiled once, not once for each tool.
      ajv.addSchema(target as object, reference);
    }
    return linked(schema, references) as JsonSchema;
  }

  return {
    link,
    target: (reference) => targets.get(reference),
    validator: (schema) => {
      const before = validators.get(schema);
      if (before !== undefined) return before;
      acceptFormats(ajv, schema);
      const compiled = ajv.compile(schema);
      validators.set(schema, compiled);
      return compiled;
    },
  };
}

/** Strict about keywords and references; types may be a list or missing, as OpenAPI documents have it. */
function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    allowMatchingProperties: true,
    allErrors: false,
    // Each schema meets a handful of values: making its function fast costs more than it saves.
    code: { optimize: false },
  });
  ajv.addVocabulary(["x-mcp-header"]);
  addFormats.default(ajv);
  return ajv;
}

/** An unknown format says nothing about a value (JSON Schema 2020-12, Validation §7.2.3). */
function acceptFormats(ajv: Ajv2020, schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  const { format } = schema as { readonly format?: unknown };
  if (typeof format === "string" && ajv.formats[format] === undefined) ajv.addFormat(format, true);
  for (const value of Object.values(schema)) acceptFormats(ajv, value);
}

function linked(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((entry) => linked(entry, names));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) =>
      key === "$ref" && typeof entry === "string" ? [key, names.get(entry) ?? entry] : [key, linked(entry, names)],
    ),
  );
}
