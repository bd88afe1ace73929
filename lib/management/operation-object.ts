import type { JsonObject } from "../json.ts";
import type { SchemaComponents } from "./components.ts";
import type { Access, Answer, AnswerHeader, Operation, Parameter } from "./operations/operation.ts";
import { ORGANIZATION } from "./operations/parameters.ts";
import { problemsOf } from "./problems.ts";

/** An OpenAPI Operation Object; its schemas become components. */
export function operationObject(operation: Operation, tag: string, components: SchemaComponents): JsonObject {
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

function allParameters({ parameters = [], access }: Operation): readonly Parameter[] {
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
