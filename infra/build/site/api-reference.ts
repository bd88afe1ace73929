import type { JsonObject } from "../../../lib/kernel/json.ts";
import { slugOf } from "./addresses.ts";
import { API_REFERENCE } from "./order.ts";
import { cell, fieldsTable, type Schema, typeOf } from "./schema-table.ts";

interface OpenApi {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly "x-countersign-role": string;
  readonly "x-countersign-scope"?: string;
  readonly "x-countersign-organization"?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Answer {
  readonly description: string;
  readonly content?: Content;
}

interface Located extends Operation {
  readonly method: string;
  readonly path: string;
}

const WHO: Readonly<Record<string, string>> = {
  public: "anybody",
  person: "whoever is signed in",
  member: "members of the organization",
  owner: "owners of the organization",
};

/** Pages of Markdown by their paths, made of the OpenAPI document of the management API. */
export function apiReference(document: JsonObject): ReadonlyMap<string, string> {
  const api = document as unknown as OpenApi;
  const groups = api.tags.map(({ name }) => ({ name, operations: operationsOf(api, name) }));
  return new Map([
    [`${API_REFERENCE}README.md`, overview(api, groups)],
    ...groups.map(({ name, operations }) => [pathOf(name), groupPage(api, name, operations)] as const),
    [`${API_REFERENCE}schemas.md`, schemasPage(api)],
  ]);
}

interface Group {
  readonly name: string;
  readonly operations: readonly Located[];
}

function pathOf(tag: string): string {
  return `${API_REFERENCE}${slugOf(tag)}.md`;
}

function operationsOf({ paths }: OpenApi, tag: string): readonly Located[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

function overview({ info }: OpenApi, groups: readonly Group[]): string {
  const count = groups.reduce((sum, { operations }) => sum + operations.length, 0);
  const rows = ({ name, operations }: Group) =>
    operations.map(
      ({ method, path, summary }) =>
        `| \`${method} ${path}\` | [${cell(summary)}](${slugOf(name)}.md#${slugOf(summary)}) |`,
    );
  return [
    "# API reference",
    `All ${count} operations of the management API, made of its OpenAPI document ([openapi.json](../openapi.json)). An instance serves`,
    "the same document at `GET /api/v1/openapi.json`. [Management API](../api.md) explains tokens, pages, errors and examples; the",
    "bodies are in [Schemas](schemas.md).\n",
    `${info.description}\n`,
    ...groups.flatMap((group) => [
      `\n## ${group.name}\n`,
      "| request | what it does |",
      "| --- | --- |",
      ...rows(group),
    ]),
  ].join("\n");
}

function groupPage(api: OpenApi, name: string, operations: readonly Located[]): string {
  return [
    `# ${name}\n`,
    `Operations of the [management API](../api.md). [All operations](README.md).\n`,
    ...operations.map((operation) => operationText(api, operation)),
  ].join("\n");
}

function operationText(api: OpenApi, operation: Located): string {
  const { method, path, summary, description, parameters = [], requestBody, responses } = operation;
  return [
    `\n## ${summary}\n`,
    `\`\`\`text\n${method} ${path}\n\`\`\`\n`,
    ...(description === undefined ? [] : [`${description}\n`]),
    `**Who may call:** ${whoMayCall(operation)}.\n`,
    ...(parameters.length === 0 ? [] : [parametersTable(parameters)]),
    ...(requestBody === undefined
      ? []
      : [`**Body**${requestBody.required ? "" : " (may be absent)"}: ${contentText(requestBody.content)}\n`]),
    "| answer | meaning | body |",
    "| --- | --- | --- |",
    ...Object.entries(responses).map(([status, answer]) => answerRow(status, resolve(api, answer))),
    "",
  ].join("\n");
}

function whoMayCall(operation: Operation): string {
  const role = operation["x-countersign-role"];
  const scope = operation["x-countersign-scope"];
  const first = operation["x-countersign-organization"] === "first" ? ", which has to be the instance's first one" : "";
  const client = scope === undefined ? "" : `, and API clients with the permission \`${scope}\``;
  return `${WHO[role] ?? role}${first}${client}`;
}

function parametersTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map(
    ({ name, in: place, required = false, schema, description = schema.description ?? "" }) =>
      `| \`${name}\` | ${place}${required ? ", required" : ""} | ${cell(typeOf(schema))} | ${cell(description)} |`,
  );
  return ["| parameter | in | type | meaning |", "| --- | --- | --- | --- |", ...rows, ""].join("\n");
}

/** What answers are by default: bodies, and problems. */
const PLAIN: readonly string[] = ["application/json", "application/problem+json"];

function contentText(content: Content): string {
  return Object.entries(content)
    .map(([type, { schema }]) => (PLAIN.includes(type) ? typeOf(schema) : `${typeOf(schema)} as \`${type}\``))
    .join(" or ");
}

function answerRow(status: string, { description, content = {} }: Answer): string {
  return `| ${status} | ${cell(description)} | ${cell(contentText(content))} |`;
}

function resolve({ components }: OpenApi, answer: Answer | { readonly $ref: string }): Answer {
  if (!("$ref" in answer)) return answer;
  const name = answer.$ref.split("/").at(-1) as string;
  return components.responses[name] as Answer;
}

function schemasPage({ components }: OpenApi): string {
  return [
    "# Schemas\n",
    "What bodies of the [management API](README.md) hold. A name with a dot is a field of the object before it; `[]` stands for each entry of a list.\n",
    ...Object.entries(components.schemas).map(
      ([name, schema]) => `\n## ${name}\n\n${schema.description ?? ""}\n\n${fieldsTable(schema)}\n`,
    ),
  ].join("\n");
}
