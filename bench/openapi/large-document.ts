const OPERATIONS = ["get", "post", "put", "delete"] as const;
const KINDS = ["name", "state", "owner", "created", "labels", "size", "address", "parent"];

/**
 * An OpenAPI document with so many operations, JSON text of some 1,750 characters each, as in documents of companies: a resource has
 * four operations and two schemas, which refer to those of others; parameters and errors are written out in each operation.
 */
export function largeDocument(operations: number): string {
  const resources = Math.ceil(operations / OPERATIONS.length);
  const paths: Record<string, unknown> = {};
  const schemas: Record<string, unknown> = {};
  for (let index = 0; index < resources; index++) {
    const left = operations - index * OPERATIONS.length;
    const methods = OPERATIONS.slice(0, left).map((method) => [method, operation(method, index)]);
    paths[`/areas/{area}/resources${index}/{id}`] = Object.fromEntries(methods);
    schemas[`Resource${index}`] = resource(index, resources);
    schemas[`Change${index}`] = {
      type: "object",
      required: ["name"],
      properties: properties(index, KINDS.slice(0, 4)),
    };
  }
  const info = { title: "Resources", version: "1" };
  return JSON.stringify({ openapi: "3.0.3", info, paths, components: { schemas } });
}

function operation(method: (typeof OPERATIONS)[number], index: number) {
  const json = (name: string) => ({ content: { "application/json": { schema: ref(`${name}${index}`) } } });
  return {
    operationId: `${method}Resource${index}`,
    tags: [`area ${index % 40}`],
    summary: `The ${method} operation of resource ${index}`,
    description: `What ${method} does to resource ${index}, with all that somebody has to know. ${"It takes a moment. ".repeat(12)}`,
    parameters: [
      {
        name: "area",
        in: "path",
        required: true,
        schema: { type: "string" },
        description: "The area of the resource.",
      },
      { name: "id", in: "path", required: true, schema: { type: "string", pattern: "^[a-z0-9-]+$" } },
      ...(method === "get" ? [page("page", index), page("per_page", index)] : []),
    ],
    ...(method === "post" || method === "put" ? { requestBody: { required: true, ...json("Change") } } : {}),
    responses: {
      200: { description: "The resource as it is now.", ...json("Resource") },
      404: { description: `There is no resource ${index} of this name.`, content: problem() },
      429: { description: "Too many requests.", content: problem() },
    },
  };
}

function page(name: string, index: number) {
  const description = `The ${name} of the list of resources ${index}.`;
  return { name, in: "query", description, schema: { type: "integer", minimum: 1, maximum: 100, default: 1 } };
}

function problem() {
  const properties = { title: { type: "string" }, detail: { type: "string" }, code: { type: "integer" } };
  return { "application/problem+json": { schema: { type: "object", properties } } };
}

function resource(index: number, count: number) {
  const next = ref(`Resource${(index + 1) % Math.min(count, 1 + index - (index % 10) + 10)}`);
  return {
    type: "object",
    description: `Resource ${index}, as the API has it.`,
    required: ["name", "state"],
    properties: {
      ...properties(index, KINDS),
      next: { nullable: true, allOf: [next] },
      all: { type: "array", items: next },
    },
  };
}

function properties(index: number, kinds: readonly string[]) {
  const entries = kinds.map((kind, at) => {
    const description = `The ${kind} of resource ${index}: what people call it, and what others refer to.`;
    return [
      kind,
      at % 2 === 0 ? { type: "string", description } : { type: "string", description, enum: ["on", "off"] },
    ];
  });
  return Object.fromEntries(entries);
}

function ref(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}
