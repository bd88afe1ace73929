import { isJsonObject, type JsonObject } from "../json.ts";

/** Schemas that an OpenAPI document refers to by name. */
export interface SchemaComponents {
  /** The schema as it stands elsewhere in the document: a reference if it has a title, which is its name. */
  place(schema: JsonObject): JsonObject;
  /** `#/components/schemas`, of all that was placed. */
  schemas(): JsonObject;
}

/** @throws Error when two different schemas have the same title: a mistake in `schemas/` */
export function createSchemaComponents(): SchemaComponents {
  const sources = new Map<string, string>();
  const schemas: Record<string, JsonObject> = {};
  const place = (schema: JsonObject): JsonObject => {
    const { title } = schema;
    if (typeof title !== "string") return members(schema);
    const source = JSON.stringify(schema);
    const known = sources.get(title);
    if (known !== undefined && known !== source) throw new Error(`two schemas have the title ${title}`);
    if (known === undefined) {
      sources.set(title, source);
      schemas[title] = members(schema);
    }
    return { $ref: `#/components/schemas/${title}` };
  };
  const members = (schema: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, placeAll(value)]));
  const placeAll = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(placeAll);
    return isJsonObject(value) ? place(value) : value;
  };
  return {
    place,
    schemas: () => Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
