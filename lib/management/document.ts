import type { JsonObject } from "../json.ts";
import { VERSION } from "../version.ts";
import { createSchemaComponents } from "./components.ts";
import { operationObject } from "./operation-object.ts";
import { OPERATIONS_BY_TAG } from "./operations.ts";
import { problemResponses } from "./problems.ts";

export interface DocumentedInstance {
  /** Without slash at the end. */
  readonly publicURL: string;
  /** Of the Console's session. */
  readonly cookieName: string;
}

/** The management API of an instance in OpenAPI 3.1. */
export function managementDocument({ publicURL, cookieName }: DocumentedInstance): JsonObject {
  const components = createSchemaComponents();
  const responses = problemResponses(components);
  const paths: Record<string, JsonObject> = {};
  for (const [tag, operations] of Object.entries(OPERATIONS_BY_TAG)) {
    for (const operation of operations) {
      const { path, method } = operation;
      paths[path] = { ...paths[path], [method]: operationObject(operation, tag, components) };
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
    servers: [{ url: publicURL }],
    tags: Object.keys(OPERATIONS_BY_TAG).map((name) => ({ name })),
    paths,
    components: { schemas: components.schemas(), responses, securitySchemes: securitySchemes(cookieName) },
  };
}

function securitySchemes(cookieName: string): JsonObject {
  return {
    session: {
      type: "apiKey",
      in: "cookie",
      name: cookieName,
      description: "A person who is signed in to the Console.",
    },
    bearer: { type: "http", scheme: "bearer", description: "An API client, with a token for this API." },
  };
}

const DESCRIPTION =
  `What the Console and API clients use. \`x-countersign-role\` says who may call an operation: \`public\` anybody,
\`person\` whoever is signed in, \`member\` and \`owner\` those of the organization that the request is about;
\`x-countersign-scope\` names the permission with which an API client may, too. Where \`x-countersign-organization\` is \`first\`,
that organization has to be the instance's first one.`.replaceAll("\n", " ");
