import * as z from "zod";
import { documentSchema } from "./schema/document.ts";

/** What a scalar can be instead of its value: `{{ env.NAME }}` in it, or `<ns.key>` as a whole. */
const PLACEHOLDER = {
  type: "string",
  pattern: "\\{\\{\\s*env\\.[A-Za-z_][A-Za-z0-9_]*\\s*\\}\\}|^<[A-Za-z0-9_.:/-]+>$",
  description: "A placeholder: an environment variable or a secret.",
};

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** The schema for editors (`# yaml-language-server: $schema=`): every scalar can also be a placeholder. */
export function publishedSchema(schema: JsonSchema): object {
  return { $schema: DIALECT, title: "Countersign configuration", ...published(schema) };
}

function published({
  accepted,
  secret,
  properties,
  items,
  additionalProperties,
  propertyNames,
  anyOf,
  oneOf,
  ...own
}: JsonSchema): object {
  const inner = {
    ...own,
    ...(properties !== undefined && { properties: mapValues(properties, published) }),
    ...(items !== undefined && { items: published(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === "object" ? published(additionalProperties) : additionalProperties,
    }),
    ...(propertyNames !== undefined && { propertyNames: named(propertyNames) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(published) }),
    ...(oneOf !== undefined && { anyOf: oneOf.map(published) }),
  };
  return isConstrainedScalar(own) ? withPlaceholder(own) : inner;
}

/** No placeholder can stand for a key. */
function named({ accepted, secret, ...own }: JsonSchema): object {
  return own;
}

/** Apps are told apart by `type`, which no placeholder can stand for. */
function isConstrainedScalar({ type, const: value }: JsonSchema): boolean {
  return value === undefined && type !== undefined && ["string", "number", "integer", "boolean"].includes(type);
}

function withPlaceholder(schema: JsonSchema): object {
  const { description, default: fallback, examples, ...constraints } = schema;
  return {
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
    ...(examples !== undefined && { examples }),
    anyOf: [constraints, PLACEHOLDER],
  };
}

function mapValues(values: Readonly<Record<string, JsonSchema>>, change: (value: JsonSchema) => object): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

/** The part of JSON Schema 2020-12 that the configuration's schema is made of. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  /** What an error says is accepted; not part of the published schema. */
  readonly accepted?: string;
  readonly secret?: boolean;
}

/** The schema of the whole document as it is written, with what messages call the accepted values. */
export function documentJsonSchema(): JsonSchema {
  return z.toJSONSchema(documentSchema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const accepted = acceptedBy(zodSchema);
      if (accepted !== undefined) Object.assign(jsonSchema, { accepted });
    },
  }) as JsonSchema;
}

/** Every schema of the document says in its error what it accepts; nothing accepts a symbol. */
function acceptedBy(schema: z.core.$ZodType): string | undefined {
  const issue = z.safeParse(schema, Symbol("no value")).error?.issues[0];
  return issue === undefined || issue.path.length > 0 ? undefined : issue.message;
}
