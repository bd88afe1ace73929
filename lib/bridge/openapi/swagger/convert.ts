import { isJsonObject, type JsonObject } from "../../../json.ts";
import { DocumentError } from "../document-error.ts";
import { member } from "../plain.ts";
import { resolve } from "../reference.ts";
import { requestBody } from "./body.ts";
import { plainParameter } from "./parameter.ts";
import { responses } from "./responses.ts";
import { withSchemas } from "./schemas.ts";
import { securitySchemes } from "./security.ts";
import { servers } from "./servers.ts";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch"];

/**
 * Reads a bundled Swagger 2.0 document as OpenAPI 3.0. `definitions`, `parameters` and `responses` stay where they are,
 * for references lead there; operations get what they refer to in its new form. What is wrong stays as it is: who lists the
 * operations tells of it.
 */
export function convertSwagger(document: JsonObject): JsonObject {
  const { swagger: _, host, basePath, schemes, securityDefinitions, consumes, produces, ...rest } = document;
  const context = { document, consumes: texts(consumes), produces: texts(produces) };
  const paths = resolved(document, document.paths);
  const converted = isJsonObject(paths)
    ? Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, convertPathItem(item, context)]))
    : paths;
  return withSchemas({
    ...rest,
    openapi: "3.0.4",
    servers: servers({ host, basePath, schemes }),
    ...(converted !== undefined && { paths: converted }),
    components: { securitySchemes: securitySchemes(securityDefinitions) },
  });
}

/** What the parts of an operation are read with. */
export interface SwaggerContext {
  readonly document: JsonObject;
  /** Media types of bodies and answers where an operation says nothing else. */
  readonly consumes: readonly string[] | undefined;
  readonly produces: readonly string[] | undefined;
}

/** What a value refers to; the value itself when that cannot be followed. */
export function resolved(document: JsonObject, value: unknown): unknown {
  try {
    return resolve(document, value, "").value;
  } catch (cause) {
    if (cause instanceof DocumentError) return value;
    throw cause;
  }
}

function convertPathItem(value: unknown, context: SwaggerContext): unknown {
  const item = isJsonObject(value) && typeof value.$ref === "string" ? merged(value, context.document) : value;
  if (!isJsonObject(item)) return item;
  const shared = parametersOf(item.parameters, context);
  const operations = METHODS.filter((method) => isJsonObject(item[method])).map((method) => [
    method,
    convertOperation(item[method] as JsonObject, shared ?? [], context),
  ]);
  return {
    ...item,
    ...(shared !== undefined && { parameters: shared.filter((entry) => !isBody(entry)).map(plainParameter) }),
    ...Object.fromEntries(operations),
  };
}

/** A Path Item's own members win over those that it refers to. */
function merged(item: JsonObject, document: JsonObject): JsonObject {
  const target = resolved(document, item);
  if (!isJsonObject(target) || target === item) return item;
  const { $ref: _, ...own } = item;
  return { ...target, ...own };
}

function convertOperation(operation: JsonObject, shared: readonly unknown[], context: SwaggerContext): JsonObject {
  const { consumes, produces, schemes, parameters, responses: answers, ...rest } = operation;
  const own = parametersOf(parameters, context);
  const body = requestBody(bodyParameters(own ?? [], shared), texts(consumes) ?? context.consumes);
  return {
    ...rest,
    ...(parameters !== undefined && {
      parameters: own?.filter((entry) => !isBody(entry)).map(plainParameter) ?? parameters,
    }),
    ...(body !== undefined && { requestBody: body }),
    ...(answers !== undefined && {
      responses: responses(answers, texts(produces) ?? context.produces, context.document),
    }),
    ...(Array.isArray(schemes) && {
      servers: servers({ host: context.document.host, basePath: context.document.basePath, schemes }),
    }),
  };
}

/** Undefined for anything but a list. */
function parametersOf(value: unknown, { document }: SwaggerContext): readonly unknown[] | undefined {
  return Array.isArray(value) ? value.map((entry) => resolved(document, entry)) : undefined;
}

function isBody(parameter: unknown): boolean {
  const location = member(parameter, "in");
  return location === "body" || location === "formData";
}

/** An operation's own body takes the place of the Path Item's; fields of a form add up, each name once. */
function bodyParameters(own: readonly unknown[], shared: readonly unknown[]): readonly JsonObject[] {
  const [ours, theirs] = [own.filter(isBody), shared.filter(isBody)] as [JsonObject[], JsonObject[]];
  if ([...ours, ...theirs].some((entry) => entry.in === "body")) return ours.length > 0 ? ours : theirs;
  const names = new Set(ours.map(({ name }) => name));
  return [...ours, ...theirs.filter(({ name }) => !names.has(name))];
}

function texts(value: unknown): readonly string[] | undefined {
  const found = Array.isArray(value) ? value.filter((entry) => typeof entry === "string" && entry !== "") : [];
  return found.length > 0 ? found : undefined;
}
