import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { DocumentError } from "./document-error.ts";
import { member } from "./plain.ts";
import { resolve } from "./reference.ts";

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
interface SwaggerContext {
  readonly document: JsonObject;
  /** Media types of bodies and answers where an operation says nothing else. */
  readonly consumes: readonly string[] | undefined;
  readonly produces: readonly string[] | undefined;
}

/** What a value refers to; the value itself when that cannot be followed. */
function resolved(document: JsonObject, value: unknown): unknown {
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

const JSON_TYPE = "application/json";
const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data";

/** The Request Body Object for the `body` parameter or the `formData` parameters of an operation; undefined for none. */
function requestBody(
  parameters: readonly JsonObject[],
  consumes: readonly string[] | undefined,
): JsonObject | undefined {
  const body = parameters.find((parameter) => parameter.in === "body");
  if (body !== undefined) {
    const types = consumes ?? [JSON_TYPE];
    return {
      ...(typeof body.description === "string" && { description: body.description }),
      required: body.required === true,
      content: Object.fromEntries(types.map((type) => [type, { schema: body.schema ?? {} }])),
    };
  }
  return parameters.length === 0 ? undefined : formBody(parameters, consumes ?? []);
}

function formBody(parameters: readonly JsonObject[], consumes: readonly string[]): JsonObject {
  const required = parameters.filter((parameter) => parameter.required === true).map(({ name }) => name);
  const schema = {
    type: "object",
    properties: Object.fromEntries(parameters.map((parameter) => [String(parameter.name), fieldSchema(parameter)])),
    ...(required.length > 0 && { required }),
  };
  const lists = parameters.filter(({ type }) => type === "array");
  const encoding = Object.fromEntries(
    lists.map((parameter) => [String(parameter.name), listStyle(parameter, true) ?? {}]),
  );
  const media = { schema, ...(lists.length > 0 && { encoding }) };
  const hasFile = parameters.some(({ type }) => type === "file");
  return {
    required: required.length > 0,
    content: Object.fromEntries(formTypes(consumes, hasFile).map((type) => [type, media])),
  };
}

/** Files travel in `multipart/form-data` alone. */
function formTypes(consumes: readonly string[], hasFile: boolean): readonly string[] {
  if (hasFile) return [MULTIPART];
  const forms = [FORM, MULTIPART].filter((type) => consumes.some((name) => name.toLowerCase().startsWith(type)));
  return forms.length > 0 ? forms : [FORM];
}

function fieldSchema(parameter: JsonObject): JsonObject {
  const { description } = parameter;
  return { ...schemaOf(parameter), ...(typeof description === "string" && { description }) };
}

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
function plainParameter(parameter: unknown): unknown {
  if (!isJsonObject(parameter) || typeof parameter.$ref === "string") return parameter;
  const rest = Object.fromEntries(Object.entries(parameter).filter(([keyword]) => !OWN_KEYWORDS.has(keyword)));
  const style = listStyle(parameter, parameter.in === "query");
  if (style !== undefined) return { ...rest, ...style, schema: schemaOf(parameter) };
  const description = `Values separated by ${SEPARATORS[String(parameter.collectionFormat)] ?? "commas"}.`;
  return { ...rest, content: { "text/plain": { schema: { type: "string", description } } } };
}

/** The schema in a Parameter, Items or Header Object. */
function schemaOf(definition: JsonObject): JsonObject {
  // Not of Swagger 2.0, but found in documents.
  if (isJsonObject(definition.schema)) return definition.schema;
  const entries = Object.entries(definition).filter(([keyword]) => SCHEMA_KEYWORDS.includes(keyword));
  return Object.fromEntries(
    entries.map(([keyword, value]) => [keyword, keyword === "items" && isJsonObject(value) ? schemaOf(value) : value]),
  );
}

/** `style` and `explode` of a list, nothing for other values; undefined for a list that OpenAPI 3 cannot write. */
function listStyle({ type, collectionFormat = "csv" }: JsonObject, isForm: boolean): JsonObject | undefined {
  if (type !== "array") return {};
  const styles = isForm ? QUERY_STYLES : OTHER_STYLES;
  const format = String(collectionFormat);
  return Object.hasOwn(styles, format) ? styles[format] : undefined;
}

/** A Responses Object of OpenAPI 3; each response that is a reference comes as what it refers to. */
function responses(value: unknown, produces: readonly string[] | undefined, document: JsonObject): unknown {
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

/** Keywords whose value is data. */
const DATA = new Set(["example", "examples", "enum"]);

/** A copy in which Swagger 2.0's own schema keywords are those of OpenAPI 3.0: `type: file` and `x-nullable`. */
function withSchemas(document: JsonObject): JsonObject {
  return copy(document) as JsonObject;
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, DATA.has(name) ? member : copy(member)]);
  return { ...Object.fromEntries(members), ...own(value as JsonObject) };
}

function own(schema: JsonObject): JsonObject {
  return {
    ...(schema.type === "file" && { type: "string", format: "binary" }),
    ...(schema["x-nullable"] === true && { nullable: true }),
  };
}

const FLOWS: Readonly<Record<string, string>> = {
  implicit: "implicit",
  password: "password",
  application: "clientCredentials",
  accessCode: "authorizationCode",
};

/** `components.securitySchemes` of OpenAPI 3 from `securityDefinitions`. */
function securitySchemes(definitions: unknown): JsonObject {
  if (!isJsonObject(definitions)) return {};
  return Object.fromEntries(Object.entries(definitions).map(([name, definition]) => [name, scheme(definition)]));
}

function scheme(definition: unknown): unknown {
  if (!isJsonObject(definition)) return definition;
  const { type, description } = definition;
  const described = typeof description === "string" ? { description } : {};
  if (type === "basic") return { ...described, type: "http", scheme: "basic" };
  if (type !== "oauth2") return definition;
  const { flow, authorizationUrl, tokenUrl, scopes = {} } = definition;
  const name = Object.hasOwn(FLOWS, String(flow)) ? FLOWS[String(flow)] : undefined;
  const urls = {
    ...(authorizationUrl !== undefined && { authorizationUrl }),
    ...(tokenUrl !== undefined && { tokenUrl }),
  };
  return { ...described, type, flows: name === undefined ? {} : { [name]: { ...urls, scopes } } };
}

/**
 * Server Objects, `https` first. Without a host they are relative, and without schemes they have none (`//host`): both
 * come from where the document was read (Swagger 2.0, `host` and `schemes`).
 */
function servers({ host, basePath, schemes }: JsonObject): readonly JsonObject[] {
  const path = typeof basePath === "string" && basePath !== "/" ? `/${basePath.replace(/^\/+/, "")}` : "";
  if (typeof host !== "string" || host === "") return [{ url: path === "" ? "/" : path }];
  const known = ["https", "http"].filter((scheme) => Array.isArray(schemes) && schemes.includes(scheme));
  if (known.length === 0) return [{ url: `//${host}${path}` }];
  return known.map((scheme) => ({ url: `${scheme}://${host}${path}` }));
}
