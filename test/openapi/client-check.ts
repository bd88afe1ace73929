import type { BridgeTool } from "../../lib/openapi/catalog.ts";

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** What the strictest clients would object to; empty: nothing. That the schema compiles, the sampler's Ajv says. */
export function checkTool({ name, inputSchema, outputSchema }: BridgeTool): readonly string[] {
  const properties = Object.keys((inputSchema.properties ?? {}) as object);
  return [
    ...(TOOL_NAME.test(name) ? [] : [`the name ${name} is refused by clients`]),
    ...(inputSchema.type === "object" ? [] : ["the input schema is not one of an object"]),
    ...(outputSchema === undefined || outputSchema.type === "object"
      ? []
      : ["the output schema is not one of an object"]),
    ...properties.filter((one) => !PROPERTY_NAME.test(one)).map((one) => `the property ${one} is refused by clients`),
    ...[inputSchema, outputSchema].flatMap((schema) => (schema === undefined ? [] : foreignReferences(schema, schema))),
  ];
}

function foreignReferences(root: object, schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === "enum" || keyword === "const" || keyword === "default") return [];
    if (keyword !== "$ref" || typeof value !== "string") return foreignReferences(root, value);
    const definition = value.startsWith("#/$defs/") ? value.slice("#/$defs/".length) : undefined;
    const definitions = (root as { readonly $defs?: object }).$defs ?? {};
    return definition !== undefined && Object.hasOwn(definitions, definition) ? [] : [`${value} leaves the schema`];
  });
}
