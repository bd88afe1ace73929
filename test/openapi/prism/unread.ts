import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import type { BridgeTool } from "../../../lib/openapi/catalog.ts";
import type { OperationDocument } from "../receiver/operation-document.ts";
import { isForm } from "../receiver/validator-app.ts";

/**
 * What Prism does not read, each with the reason. A call of this kind that it refuses is counted apart: it says nothing about the
 * request. All the same calls are judged by `run.ts`, whose validator reads most of them.
 */
export const UNREAD = {
  "repeated names": "of the fields of a form that have one name it keeps the last, so that a list is a text",
  "objects in forms": "it takes a field or part for a text, also one of type application/json",
  "objects in a query": "OpenAPI has no style for a list or an object inside of one",
  "undescribed fields": "of a form it keeps the fields that the schema describes, and misses others that it requires",
  "null as a body": "it takes the JSON text null for no body",
  "query in a path": "it looks for the query of a path template in the path",
  "part without a name": "the document describes a form as a file, and says no name",
  "impossible requirement": "the document asks for a member that it does not allow",
} as const;

export type Unread = keyof typeof UNREAD;

/** Why Prism's word on a call would mean nothing; undefined where it does. */
export function unreadIn(tool: BridgeTool, operation: OperationDocument, given: JsonObject): Unread | undefined {
  const { parameters, body, path } = tool.request;
  const [exception] = operation.exceptions;
  if (exception === "part without a name" || exception === "impossible requirement") return exception;
  if (path.includes("?")) return "query in a path";
  const isNested = parameters.some(({ argument, in: location, style, content }) => {
    return location === "query" && style !== "deepObject" && content === undefined && holdsObjects(given[argument]);
  });
  if (isNested) return "objects in a query";
  if (body?.argument !== undefined && given[body.argument] === null) return "null as a body";
  return isForm(body?.contentType ?? "") ? unreadField(tool, given) : undefined;
}

function unreadField({ request, inputSchema }: BridgeTool, given: JsonObject): Unread | undefined {
  const { argument, names = {} } = request.body ?? {};
  const inParameters = new Set(request.parameters.map((one) => one.argument));
  const fields = Object.entries(argument === undefined ? given : (given[argument] as JsonObject)).filter(
    ([name]) => argument !== undefined || !inParameters.has(name),
  );
  const schemas = (argument === undefined ? inputSchema.properties : {}) as JsonObject;
  for (const [name, value] of fields) {
    if (Array.isArray(value)) return "repeated names";
    if (isJsonObject(value) && !isFile(value)) return "objects in forms";
    const schema = schemas[name] ?? schemas[names[name] ?? name];
    if (isJsonObject(schema) && Object.keys(schema).length === 0) return "undescribed fields";
  }
  return undefined;
}

/** What tools take for a file. */
function isFile(value: JsonObject): boolean {
  return typeof value.data === "string" || typeof value.text === "string";
}

function holdsObjects(value: unknown): boolean {
  const inside = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return inside.some((entry) => typeof entry === "object" && entry !== null);
}
