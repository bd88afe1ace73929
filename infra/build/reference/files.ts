import { documentJsonSchema, publishedSchema } from "../../../lib/config/json-schema.ts";
import { withKeys } from "./page.ts";

export const PAGE = "docs/configuration.md";
export const SCHEMA = "docs/countersign.schema.json";

/** The generated files as they have to be, by path. */
export function generatedFiles(page: string): Readonly<Record<string, string>> {
  const schema = documentJsonSchema();
  return { [PAGE]: withKeys(page, schema), [SCHEMA]: `${JSON.stringify(publishedSchema(schema), undefined, 2)}\n` };
}
