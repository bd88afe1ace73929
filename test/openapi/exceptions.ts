import type { JsonObject } from "../../lib/kernel/json.ts";
import type { DeclaredParameter, OperationDocument } from "./receiver/operation-document.ts";

/**
 * What express-openapi-validator cannot judge, each with the reason. The receiver reads such a parameter by itself
 * (`receiver/own-reading.ts`) and compares it with what was sent; everything else of the request stays the validator's.
 */
export const EXCEPTIONS = {
  "path style": "it reads `simple` only: no `label`, `matrix`, exploded lists or objects in paths",
  "query style": "it reads no objects in `spaceDelimited` and `pipeDelimited`",
  "header style": "it reads no objects and no exploded lists in headers",
  "cookie style": "it reads no lists and objects in cookies",
  "JSON outside the query": "it reads `content` of query parameters only",
  "non-JSON content": "it reads `content` that is JSON only",
  "brackets in a name":
    "it takes `filter[name]` for a member of `filter`, also where the parameter itself is called so",
  "nested values":
    "OpenAPI has no style for a list or an object inside of one; only that the parameter arrived is judged",
  "one of several types": "it counts the alternatives of `oneOf` that a text fits: 12 is an integer and a string",
  "choice of types":
    "it reads a query parameter with `anyOf` or `oneOf` as JSON first, so that the text 12 becomes a number",
  "part without a name":
    "the document describes a multipart body as a file and not as an object, and does not say which part it is: any one is judged",
  "impossible requirement":
    "an object of the document is closed and requires a member that it does not have, so that the validator would refuse every request; judged without that one requirement",
} as const;

export type Exception = keyof typeof EXCEPTIONS;

/** Operations of `@readme/oas-examples` that no request can satisfy, so that there is nothing to send. */
export const UNSATISFIABLE: Readonly<Record<string, string>> = {
  "PUT /anything/quirks/polymorphism": "the body has to be a string and an integer",
  "PATCH /anything/quirks/polymorphism": "the body has to be a string and an integer",
  "POST /potentially-undefined-formData": "the body has to fit exactly one of two equal schemas",
};

/**
 * What the sampler does not draw because a request cannot carry it, or the validator misreads what is right:
 * - in parameters and forms: null, lists and objects without entries, which have no text;
 * - in the path: empty values, control characters and dot segments, which the gateway refuses (checklist 28);
 * - in headers: what is not visible ASCII, and spaces at either end;
 * - delimiters inside the items of what is not exploded: the validator splits behind the decoding;
 * - empty texts as members of objects in a query: the validator takes them for unknown parameters.
 */

/** Why the validator cannot judge this parameter; undefined when it can. */
export function exceptionOf({ components }: OperationDocument, parameter: DeclaredParameter): Exception | undefined {
  const { name, in: location, style, explode, definition } = parameter;
  if (definition.content !== undefined) {
    const [type = ""] = Object.keys(definition.content as JsonObject);
    if (!/[/+]json\b/.test(type)) return "non-JSON content";
    return location === "query" ? undefined : "JSON outside the query";
  }
  const shapes = shapesOf(components, definition.schema, 0);
  if (shapes.has("nested") && style !== "deepObject") return "nested values";
  // As texts, 12 fits a string as well as an integer.
  if (shapes.has("oneOf") && location !== "query") return "one of several types";
  const isPlain = !shapes.has("object") && !shapes.has("array");
  const isList = shapes.has("array") && !shapes.has("object") && !shapes.has("choice");
  if (location === "path") return style === "simple" && (isPlain || (isList && !explode)) ? undefined : "path style";
  if (location === "header") return isPlain || (isList && !explode) ? undefined : "header style";
  if (location === "cookie") return isPlain ? undefined : "cookie style";
  if (name.includes("[")) return "brackets in a name";
  if (shapes.has("object") && style.endsWith("Delimited")) return "query style";
  return shapes.has("choice") ? "choice of types" : undefined;
}

/** Whether the members of a value may stand in the query under names of their own. */
export function isExplodedObject(
  { components }: OperationDocument,
  { in: location, style, explode, definition }: DeclaredParameter,
) {
  const isForm = location === "query" && style === "form" && explode && definition.content === undefined;
  return isForm && shapesOf(components, definition.schema, 0).has("object");
}

/** The kinds of value that a schema admits, as far as they are written differently. */
function shapesOf(components: JsonObject, schema: unknown, depth: number): ReadonlySet<string> {
  if (typeof schema !== "object" || schema === null || depth > 10) return new Set();
  const { $ref, type, properties, items, additionalProperties, allOf, anyOf, oneOf } = schema as JsonObject;
  const target = typeof $ref === "string" ? [components[$ref.split("/").at(-1) as string]] : [];
  const choices = [anyOf, oneOf].filter(Array.isArray).flat();
  const parts = [...target, ...(Array.isArray(allOf) ? allOf : []), ...choices];
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one === "object" || one === "array");
  const inside = [items, additionalProperties, ...Object.values((properties ?? {}) as JsonObject)];
  const isNested = inside.some((one) =>
    [...shapesOf(components, one, depth + 1)].some((shape) => shape === "object" || shape === "array"),
  );
  return new Set([
    ...types,
    ...(type === undefined && properties !== undefined ? ["object"] : []),
    ...(type === undefined && items !== undefined ? ["array"] : []),
    ...(choices.length > 0 ? ["choice"] : []),
    ...(Array.isArray(oneOf) ? ["oneOf"] : []),
    ...(isNested ? ["nested"] : []),
    ...parts.flatMap((part) => [...shapesOf(components, part, depth + 1)]),
  ]);
}
