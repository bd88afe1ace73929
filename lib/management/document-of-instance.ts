import type { JsonObject } from "../kernel/json.ts";

export interface DocumentedInstance {
  /** Without slash at the end. */
  readonly publicURL: string;
  /** Of the Console's session. */
  readonly cookieName: string;
}

/** The OpenAPI document of all instances with what it says of this one. */
export function documentOfInstance(
  { components, ...document }: JsonObject,
  { publicURL, cookieName }: DocumentedInstance,
): JsonObject {
  return {
    ...document,
    servers: [{ url: publicURL }],
    components: { ...(components as JsonObject), securitySchemes: securitySchemes(cookieName) },
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
