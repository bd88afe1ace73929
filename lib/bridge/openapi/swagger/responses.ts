import { isJsonObject, type JsonObject } from "../../../json.ts";
import { resolved } from "./convert.ts";
import { schemaOf } from "./parameter.ts";

/** A Responses Object of OpenAPI 3; each response that is a reference comes as what it refers to. */
export function responses(value: unknown, produces: readonly string[] | undefined, document: JsonObject): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([status, entry]) => [status, response(resolved(document, entry), produces, document)]),
  );
}

function response(value: unknown, produces: readonly string[] | undefined, document: JsonObject): unknown {
  if (!isJsonObject(value) || typeof value.$ref === "string") return value;
  const { schema, headers, examples: _, ...rest } = value;
  return {
    ...rest,
    ...(isJsonObject(headers) && { headers: Object.fromEntries(Object.entries(headers).map(header)) }),
    ...(schema !== undefined && { content: content(schema, produces ?? [defaultType(schema, document)]) }),
  };
}

function content(schema: unknown, types: readonly string[]): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function defaultType(schema: unknown, document: JsonObject): string {
  const target = resolved(document, schema);
  return isJsonObject(target) && target.type === "file" ? "application/octet-stream" : "application/json";
}

function header([name, value]: [string, unknown]): [string, unknown] {
  if (!isJsonObject(value) || typeof value.$ref === "string") return [name, value];
  return [name, { description: value.description, schema: schemaOf(value) }];
}
