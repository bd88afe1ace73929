import { isJsonObject, type JsonObject } from "../../../json.ts";

/** Keywords of a Swagger 2.0 Parameter Object, Items Object or Header Object that its schema has in OpenAPI 3. */
const SCHEMA_KEYWORDS = (
  "type format items default maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems " +
  "minItems uniqueItems enum multipleOf x-nullable"
).split(" ");
const OWN_KEYWORDS = new Set([...SCHEMA_KEYWORDS, "collectionFormat", "schema"]);

/** How OpenAPI 3 writes a `collectionFormat`. */
const QUERY_STYLES: Readonly<Record<string, JsonObject>> = {
  csv: { style: "form", explode: false },
  multi: { style: "form", explode: true },
  ssv: { style: "spaceDelimited", explode: false },
  pipes: { style: "pipeDelimited", explode: false },
};
const OTHER_STYLES: Readonly<Record<string, JsonObject>> = { csv: { style: "simple" }, multi: { style: "simple" } };
/** It cannot write these there: the argument is the text. */
const SEPARATORS: Readonly<Record<string, string>> = { ssv: "spaces", tsv: "tabs", pipes: "vertical bars" };

/** A Parameter Object of OpenAPI 3 from one of Swagger 2.0 that is in the path, query or header. */
export function plainParameter(parameter: unknown): unknown {
  if (!isJsonObject(parameter) || typeof parameter.$ref === "string") return parameter;
  const rest = Object.fromEntries(Object.entries(parameter).filter(([keyword]) => !OWN_KEYWORDS.has(keyword)));
  const style = listStyle(parameter, parameter.in === "query");
  if (style !== undefined) return { ...rest, ...style, schema: schemaOf(parameter) };
  const description = `Values separated by ${SEPARATORS[String(parameter.collectionFormat)] ?? "commas"}.`;
  return { ...rest, content: { "text/plain": { schema: { type: "string", description } } } };
}

/** The schema in a Parameter, Items or Header Object. */
export function schemaOf(definition: JsonObject): JsonObject {
  // Not of Swagger 2.0, but found in documents.
  if (isJsonObject(definition.schema)) return definition.schema;
  const entries = Object.entries(definition).filter(([keyword]) => SCHEMA_KEYWORDS.includes(keyword));
  return Object.fromEntries(
    entries.map(([keyword, value]) => [keyword, keyword === "items" && isJsonObject(value) ? schemaOf(value) : value]),
  );
}

/** `style` and `explode` of a list, nothing for other values; undefined for a list that OpenAPI 3 cannot write. */
export function listStyle({ type, collectionFormat = "csv" }: JsonObject, isForm: boolean): JsonObject | undefined {
  if (type !== "array") return {};
  const styles = isForm ? QUERY_STYLES : OTHER_STYLES;
  const format = String(collectionFormat);
  return Object.hasOwn(styles, format) ? styles[format] : undefined;
}
