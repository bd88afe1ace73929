import express, { type ErrorRequestHandler, type Express, type Request, type Response } from "express";
import { OpenApiValidator } from "express-openapi-validator/dist/openapi.validator.js";
import { parse as parseCookies } from "hono/utils/cookie";
import { parse as parseQuery } from "qs";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { exceptionOf, isExplodedObject } from "../exceptions.ts";
import type { DeclaredParameter, OperationDocument } from "./operation-document.ts";
import { type ArrivedBody, isJson, readBodies } from "./read-body.ts";

/** What the receiver made of one request. */
export interface Arrival extends ArrivedBody {
  /** The validator's objection; absent: it accepted the request. */
  readonly objection?: string;
  readonly url: string;
  readonly headers: Request["headers"];
  readonly query: JsonObject;
  /** By the names in the document. */
  readonly path: JsonObject;
  readonly cookies: JsonObject;
  readonly contentType: string;
}

/** Part of every URL, in front of the document's paths. */
export const BASE_PATH = "/base/v1";

/** An Express application that express-openapi-validator guards by the document of one operation. */
export function validatorApp(
  operation: OperationDocument,
  hasForm: boolean,
  arrived: (arrival: Arrival) => void,
): Express {
  const judged = operation.parameters.filter((parameter) => exceptionOf(operation, parameter) === undefined);
  const own = operation.parameters.filter((parameter) => !judged.includes(parameter));
  const app = express();
  app.disable("x-powered-by");
  app.set("query parser", (text: string) => readQuery(text, operation, own));
  readBodies(app, operation);
  app.use((request, _, next) => {
    request.cookies = parseCookies(request.headers.cookie ?? "");
    next();
  });
  app.use(validatorMiddleware(operation, judged, hasForm));
  app.use((request, response) => {
    arrived(arrivalOf(request, response, operation));
    response.status(204).end();
  });
  const refuse: ErrorRequestHandler = (error: Error, request, response, _next) => {
    arrived({ ...arrivalOf(request, response, operation), objection: error.message });
    response.status(204).end();
  };
  app.use(refuse);
  return app;
}

/**
 * The validator without its loader: that one compiles the JSON Schema of OpenAPI for each document, a hundred times the
 * work of judging one operation, and its router does not take every path that OpenAPI does.
 */
function validatorMiddleware(operation: OperationDocument, judged: readonly DeclaredParameter[], hasForm: boolean) {
  const { method, parameters } = operation;
  const path = pathOf(operation);
  const validator = new OpenApiValidator({
    apiSpec: validatorDocument(operation, judged) as never,
    validateSecurity: false,
    fileUploader: false,
    validateRequests: { allErrors: true, coerceTypes: hasForm ? "array" : false },
  });
  const route = {
    basePath: BASE_PATH,
    openApiRoute: `${BASE_PATH}${path}`,
    // Names in path templates are not sent, and the router takes few characters in them.
    expressRoute: expressRoute(`${BASE_PATH}${path}`, pathAliases(parameters)),
    method,
    pathParams: [...pathAliases(parameters).values()],
  };
  const apiDoc = validatorDocument(operation, judged);
  return validator.installMiddleware(
    Promise.resolve({ apiDoc, basePaths: [BASE_PATH], routes: [route], serial: 1 } as never),
  );
}

/** Some documents have a query in a path, which is declared as parameters of one value each, or a fragment, which is not sent. */
function pathOf({ path }: OperationDocument): string {
  return path.split(/[?#]/)[0] as string;
}

function queryInPath({ path }: OperationDocument): readonly JsonObject[] {
  const pairs = [...new URLSearchParams(path.split("#")[0]?.split("?")[1] ?? "")];
  return pairs.map(([name, value]) => ({
    name,
    in: "query",
    required: true,
    schema: { type: "string", enum: [value] },
  }));
}

function expressRoute(path: string, aliases: ReadonlyMap<string, string>): string {
  return path
    .split(/(\{[^{}]+\})/)
    .map((part) => {
      const alias = aliases.get(part.slice(1, -1));
      return alias === undefined ? part.replaceAll(/[{}()[\]+?!:*\\]/g, "\\$&") : `:${alias}`;
    })
    .join("");
}

function validatorDocument(operation: OperationDocument, judged: readonly DeclaredParameter[]): JsonObject {
  const { openapi, method, parameters, requestBody, components } = operation;
  const aliases = pathAliases(parameters);
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const objects = [...new Set([...inPath, ...judged])].map((parameter) => {
    const { name, in: location, style, explode, required } = parameter;
    const isJudged = judged.includes(parameter);
    return {
      name: location === "path" ? aliases.get(name) : name,
      in: location,
      style: isJudged ? style : "simple",
      explode: isJudged && explode,
      required,
      ...(isJudged ? withoutDefault(parameter) : { schema: { type: "string" } }),
      // It refuses empty values of all others; OpenAPI does not: a value is what its schema admits.
      ...(location === "query" && { allowEmptyValue: true }),
    };
  });
  const fixed = queryInPath(operation).filter(
    ({ name }) => !judged.some((one) => one.in === "query" && one.name === name),
  );
  const definition = {
    parameters: [...objects, ...fixed],
    ...(requestBody && { requestBody: readable(requestBody) }),
    responses: { 204: { description: "" } },
  };
  return structuredClone({
    openapi,
    info: { title: "t", version: "1" },
    servers: [{ url: BASE_PATH }],
    paths: { [pathOf(operation)]: { [method.toLowerCase()]: definition } },
    components: { schemas: components },
  });
}

/** For an absent `deepObject` it puts an empty object, unless the properties are out of its sight. */
function withoutDefault({ style, definition }: DeclaredParameter): JsonObject {
  return style === "deepObject" && definition.content === undefined
    ? { ...definition, schema: { allOf: [definition.schema] } }
    : definition;
}

/** By a JSON Schema it can judge JSON and what is read from forms; of other bodies only that they are there. */
function readable(requestBody: JsonObject): JsonObject {
  const content = Object.entries(requestBody.content as JsonObject).map(([type, media]) => {
    return [type, isJson(type) || isForm(type) || type.includes("*") ? media : {}];
  });
  return { ...requestBody, content: Object.fromEntries(content) };
}

export function isForm(contentType: string): boolean {
  return /^(multipart\/|application\/x-www-form-urlencoded)/i.test(contentType);
}

function pathAliases(parameters: readonly DeclaredParameter[]): ReadonlyMap<string, string> {
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  return new Map(inPath.map(({ name }, index) => [name, `p${index}`]));
}

/** Only `deepObject` gives brackets a meaning. What the receiver reads by itself is kept from the validator. */
function readQuery(text: string, operation: OperationDocument, own: readonly DeclaredParameter[]): JsonObject {
  const inQuery = (one: DeclaredParameter) => one.in === "query";
  const { parameters } = operation;
  const deep = parameters.filter(({ in: location, style }) => location === "query" && style === "deepObject");
  const isOwn = (name: string) =>
    own
      .filter(inQuery)
      .some((one) => name === one.name || (one.style === "deepObject" && name.startsWith(`${one.name}[`)));
  // The members of an exploded object stand under their own names.
  const isOpen = own.some((one) => isExplodedObject(operation, one));
  const isDeclared = (name: string) => parameters.some((one) => inQuery(one) && one.name === name.split("[")[0]);
  const pairs = (text ?? "")
    .split("&")
    .filter((pair) => pair !== "" && !isOwn(nameOf(pair)))
    .filter((pair) => !isOpen || isDeclared(nameOf(pair)));
  const isDeep = (pair: string) => deep.some(({ name }) => nameOf(pair).startsWith(`${name}[`));
  const flat: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(pairs.filter((pair) => !isDeep(pair)).join("&"))) {
    flat[name] = flat[name] === undefined ? value : [flat[name], value].flat();
  }
  return { ...flat, ...parseQuery(pairs.filter(isDeep).join("&"), { arrayLimit: 1_000, depth: 20 }) };
}

function nameOf(pair: string): string {
  return new URLSearchParams(pair).keys().next().value ?? "";
}

function arrivalOf(request: Request, response: Response, { parameters }: OperationDocument): Arrival {
  const values = (request as { readonly openapi?: { readonly pathParams?: JsonObject } }).openapi?.pathParams ?? {};
  return {
    url: request.originalUrl,
    headers: request.headers,
    query: (request.query ?? {}) as JsonObject,
    path: Object.fromEntries([...pathAliases(parameters)].map(([name, alias]) => [name, values[alias]])),
    cookies: request.cookies as JsonObject,
    contentType: request.headers["content-type"] ?? "",
    ...(response.locals.body as ArrivedBody),
  };
}
