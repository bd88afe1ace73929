import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import type { Exception } from "../exceptions.ts";
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
  /** What of it the validator cannot judge, whatever is sent. */
  readonly exceptions: readonly Exception[];
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
  const { copy, components, isContradictory } = createSchemaCopies(document, openapi === "3.0.3");
  const requestBody = resolved(document, operation.requestBody) as JsonObject | undefined;
  const content = contentOf(requestBody?.content, copy);
  const forms = withNamedParts(content, components);
  const copied = {
    parameters: (operation.parameters as readonly JsonObject[]).flatMap((one) => withDefaults(one, copy)),
    requestBody: requestBody && { required: requestBody.required === true, content: forms.content },
  };
  const exceptions: readonly Exception[] = [
    ...(isContradictory() ? (["impossible requirement"] as const) : []),
    ...(forms.isChanged ? (["part without a name"] as const) : []),
  ];
  return { openapi, method, path, ...copied, components, exceptions };
}

/** A multipart body that is described as one file, and not as an object, has one part: the document does not say its name. */
function withNamedParts(content: JsonObject, components: JsonObject) {
  let isChanged = false;
  const entries = Object.entries(content).map(([type, media]) => {
    const { schema } = media as JsonObject;
    const name = isJsonObject(schema) && typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined;
    const target = name === undefined ? schema : components[name];
    const isFile = isJsonObject(target) && ["string", "array"].includes(String(target.type));
    if (!type.startsWith("multipart/") || !isFile) return [type, media];
    isChanged = true;
    return [type, { schema: { type: "object", minProperties: 1, maxProperties: 1 } }];
  });
  return { content: Object.fromEntries(entries) as JsonObject, isChanged };
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
