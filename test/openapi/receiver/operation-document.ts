import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import { resolved } from "./pointer.ts";
import { createSchemaCopies } from "./schemas.ts";
import { operationOfSwagger } from "./swagger.ts";

/** A Parameter Object with its defaults filled in. */
export interface DeclaredParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly style: string;
  readonly explode: boolean;
  readonly required: boolean;
  readonly definition: JsonObject;
}

/** One operation of a document, cut out for the validator: what it says of the request, and the schemas that it needs. */
export interface OperationDocument {
  readonly openapi: "3.0.3" | "3.1.0";
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly DeclaredParameter[];
  /** A Request Body Object. */
  readonly requestBody: JsonObject | undefined;
  readonly components: JsonObject;
}

const STYLE = { path: "simple", query: "form", header: "simple", cookie: "form" } as const;
/** OpenAPI, Parameter Object: header parameters of these names "SHALL be ignored". */
const IGNORED = new Set(["accept", "content-type", "authorization"]);

/** @param document JSON of OpenAPI 3.x or Swagger 2.0 as its authors wrote it */
export function operationDocument(document: JsonObject, method: string, path: string): OperationDocument {
  const item = resolved(document, (document.paths as JsonObject)[path]) as JsonObject;
  const original = item[method.toLowerCase()] as JsonObject;
  const parameters = declared(document, [...list(original.parameters), ...list(item.parameters)]);
  const isSwagger = document.swagger !== undefined;
  const operation = isSwagger ? operationOfSwagger(document, parameters, original) : { ...original, parameters };
  const openapi = isSwagger || String(document.openapi).startsWith("3.0") ? "3.0.3" : "3.1.0";
  const { copy, components } = createSchemaCopies(document, openapi === "3.0.3");
  const requestBody = resolved(document, operation.requestBody) as JsonObject | undefined;
  return {
    openapi,
    method,
    path,
    parameters: (operation.parameters as readonly JsonObject[]).flatMap((one) => withDefaults(one, copy)),
    requestBody: requestBody && {
      required: requestBody.required === true,
      content: contentOf(requestBody.content, copy),
    },
    components,
  };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Each once: the operation's own come first and win over those of its path. */
function declared(document: JsonObject, parameters: readonly unknown[]): readonly JsonObject[] {
  const found = new Map<string, JsonObject>();
  for (const parameter of parameters.map((one) => resolved(document, one)).filter(isJsonObject)) {
    const key = `${parameter.in} ${parameter.name}`;
    if (!found.has(key)) found.set(key, parameter);
  }
  return [...found.values()];
}

function withDefaults(definition: JsonObject, copy: (schema: unknown) => unknown): DeclaredParameter[] {
  const {
    name,
    in: location,
    content,
    schema,
  } = definition as { name: string; in: DeclaredParameter["in"] } & JsonObject;
  if (!Object.hasOwn(STYLE, location) || (location === "header" && IGNORED.has(name.toLowerCase()))) return [];
  const style = typeof definition.style === "string" ? definition.style : STYLE[location];
  const explode = typeof definition.explode === "boolean" ? definition.explode : style === "form";
  const required = location === "path" || definition.required === true;
  const value = content !== undefined ? { content: contentOf(content, copy) } : { schema: copy(schema ?? {}) };
  const allowReserved = definition.allowReserved === true && { allowReserved: true };
  return [{ name, in: location, style, explode, required, definition: { ...value, ...allowReserved } }];
}

function contentOf(content: unknown, copy: (schema: unknown) => unknown): JsonObject {
  const entries = Object.entries(isJsonObject(content) ? content : {});
  return Object.fromEntries(
    entries.map(([type, media]) => {
      const { schema, encoding } = isJsonObject(media) ? media : {};
      return [
        type,
        { ...(schema !== undefined && { schema: copy(schema) }), ...(encoding !== undefined && { encoding }) },
      ];
    }),
  );
}
