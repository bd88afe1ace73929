import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { type ProblemCode, ProblemError } from "../kernel/problem.ts";
import { VERSION } from "../kernel/version.ts";
import { type DocumentedInstance, documentOfInstance } from "./document-of-instance.ts";
import {
  type Answer,
  type AnswerHeader,
  type OperationDocumentation,
  ORGANIZATION,
  type Parameter,
} from "./documentation/documentation.ts";
import { DOCUMENTATION } from "./documentation.ts";
import type { Access, Operation } from "./operations/operation.ts";
import { OPERATIONS_BY_TAG } from "./operations.ts";
import { PROBLEM } from "./schemas/problem.ts";

/** An operation with what the document says of it. */
type Documented = Operation & OperationDocumentation;

/**
 * The management API of an instance in OpenAPI 3.1. `#management-document` is this function, and on Workers one that reads the
 * document from the files of the Console (package.json, imports).
 */
export function managementDocument(instance: DocumentedInstance, _files?: unknown): JsonObject {
  return documentOfInstance(documentOfAll(), instance);
}

/** What instances have in common; the rest is empty. */
export function documentOfAll(): JsonObject {
  const components = createSchemaComponents();
  const responses = problemResponses(components);
  const paths: Record<string, JsonObject> = {};
  for (const [tag, operations] of Object.entries(OPERATIONS_BY_TAG)) {
    for (const operation of operations) {
      const { path, method } = operation;
      paths[path] = { ...paths[path], [method]: operationObject(documented(operation), tag, components) };
    }
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Countersign management API",
      version: VERSION,
      description: DESCRIPTION,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [],
    tags: Object.keys(OPERATIONS_BY_TAG).map((name) => ({ name })),
    paths,
    components: { schemas: components.schemas(), responses, securitySchemes: {} },
  };
}

function documented(operation: Operation): Documented {
  const documentation = DOCUMENTATION[operation.operationId];
  if (documentation === undefined) throw new Error(`The operation ${operation.operationId} is not documented.`);
  return { ...operation, ...documentation };
}

const DESCRIPTION =
  `What the Console and API clients use. \`x-countersign-role\` says who may call an operation: \`public\` anybody,
\`person\` whoever is signed in, \`member\` and \`owner\` those of the organization that the request is about;
\`x-countersign-scope\` names the permission with which an API client may, too. Where \`x-countersign-organization\` is \`first\`,
that organization has to be the instance's first one.`.replaceAll("\n", " ");

/** An OpenAPI Operation Object; its schemas become components. */
function operationObject(operation: Documented, tag: string, components: SchemaComponents): JsonObject {
  const { operationId, summary, description, body, answers, access } = operation;
  const parameters = allParameters(operation);
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    ...accessMembers(access),
    ...(parameters.length > 0 && {
      parameters: parameters.map((parameter) => ({ ...parameter, schema: components.place(parameter.schema) })),
    }),
    ...(body !== undefined && {
      requestBody: { required: body.isOptional !== true, content: json(body.schema, components) },
    }),
    responses: Object.fromEntries([
      ...answers.map((answer) => [answer.status, response(answer, components)]),
      ...Object.entries(problemsOf(operation)),
    ]),
  };
}

function allParameters({ parameters = [], access }: Documented): readonly Parameter[] {
  const isForOrganization = access.role === "member" || access.role === "owner";
  return isForOrganization ? [...parameters, ORGANIZATION] : parameters;
}

/** Who may call, once in words of our own and once as security requirements. */
function accessMembers({ role, scope, isForFirstOrganization }: Access): JsonObject {
  const session = { session: [] };
  return {
    "x-countersign-role": role,
    ...(scope !== undefined && { "x-countersign-scope": scope }),
    ...(isForFirstOrganization && { "x-countersign-organization": "first" }),
    security: role === "public" ? [] : scope === undefined ? [session] : [session, { bearer: [scope] }],
  };
}

function response({ description, schema, alternatives = {}, headers = [] }: Answer, components: SchemaComponents) {
  const content = {
    ...(schema !== undefined && json(schema, components)),
    ...Object.fromEntries(Object.entries(alternatives).map(([type, other]) => [type, { schema: other }])),
  };
  return {
    description,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers.map((name) => [name, header(name)])) }),
    ...(Object.keys(content).length > 0 && { content }),
  };
}

function json(schema: JsonObject, components: SchemaComponents): JsonObject {
  return { "application/json": { schema: components.place(schema) } };
}

function header(name: AnswerHeader): JsonObject {
  return { description: HEADERS[name], schema: TEXT };
}

const TEXT = { type: "string" };

const HEADERS: Readonly<Record<AnswerHeader, string>> = {
  ETag: "The revision, for `If-Match` and `If-None-Match`.",
  Location: "Where it is.",
  "Set-Cookie": "The Console's session, or what a sign-in keeps in the browser until it is over.",
};

/** What each code means to callers; no operation answers the one that is not here. */
const MEANINGS: Readonly<Record<Exclude<ProblemCode, "method_not_allowed">, string>> = {
  not_signed_in: "Nobody is signed in, and there is no access token of this API that is good.",
  forbidden: "The caller may not do this, or another site sent the request.",
  recent_sign_in_required:
    "The person signed in more than ten minutes ago, or, with the code `forbidden`, the caller may not do this.",
  not_found: "It does not exist, or not for the caller.",
  conflict: "What there is already does not admit it.",
  stale: "Somebody else made a change meanwhile: `If-Match` names an older one.",
  body_too_large: "The body has more than 64 KiB.",
  invalid_field: "Fields of the body or parameters of the query are not acceptable; `errors` names them.",
  invalid_body: "The body is not a JSON object, or not sent as `application/json`.",
  too_many_requests:
    "An export of the same caller or two addresses are in work, or its organization asked for too much.",
  unavailable: "The store or an identity provider could not do it for now, or more sign-ins begin than people begin.",
  internal: "A defect. The log has more under the request's id.",
};

/** The problems that an operation can answer, by status; of two with one status its own, which describes the other, too. */
export function problemsOf(operation: Documented): Readonly<Record<number, JsonObject>> {
  const codes = new Set<ProblemCode>([...commonProblems(operation), ...(operation.problems ?? [])]);
  return Object.fromEntries([...codes].map((code) => [statusOf(code), { $ref: `#/components/responses/${code}` }]));
}

/** `#/components/responses`: a Response Object a code. */
function problemResponses(components: SchemaComponents): JsonObject {
  const content = { "application/problem+json": { schema: components.place(PROBLEM) } };
  return Object.fromEntries(
    Object.entries(MEANINGS).map(([code, description]) => [code, { description, ...headersOf(code), content }]),
  );
}

/** Those that follow from what an operation takes, and from whom. */
function commonProblems({ access, method, parameters = [], body }: Documented): readonly ProblemCode[] {
  const isForOrganization = access.role === "member" || access.role === "owner";
  const takes = (place: string) => parameters.some((parameter) => parameter.in === place);
  const codes: readonly (readonly [boolean, readonly ProblemCode[]])[] = [
    [true, ["invalid_field", "unavailable", "internal"]],
    [access.role !== "public", ["not_signed_in", "forbidden"]],
    [method !== "get", ["forbidden"]],
    [isForOrganization || takes("path") || takes("header"), ["not_found"]],
    [parameters.some(({ name }) => name === "If-Match"), ["stale"]],
    [body !== undefined, ["invalid_body", "body_too_large"]],
  ];
  return codes.flatMap(([applies, those]) => (applies ? those : []));
}

function statusOf(code: ProblemCode): number {
  return new ProblemError(code, "").status;
}

function headersOf(code: string): JsonObject {
  const header = { schema: { type: "string" } };
  if (code === "not_signed_in") return { headers: { "WWW-Authenticate": header } };
  return code === "unavailable" || code === "too_many_requests" ? { headers: { "Retry-After": header } } : {};
}

/** Schemas that an OpenAPI document refers to by name. */
interface SchemaComponents {
  /** The schema as it stands elsewhere in the document: a reference if it has a title, which is its name. */
  place(schema: JsonObject): JsonObject;
  /** `#/components/schemas`, of all that was placed. */
  schemas(): JsonObject;
}

/** @throws Error when two different schemas have the same title: a mistake in `schemas/` */
function createSchemaComponents(): SchemaComponents {
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
