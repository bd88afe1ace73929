import * as z from "zod";
import { documentSchema } from "../schema/document.ts";

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
