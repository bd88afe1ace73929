import { isJsonObject, type JsonObject } from "../../../json.ts";

const FLOWS: Readonly<Record<string, string>> = {
  implicit: "implicit",
  password: "password",
  application: "clientCredentials",
  accessCode: "authorizationCode",
};

/** `components.securitySchemes` of OpenAPI 3 from `securityDefinitions`. */
export function securitySchemes(definitions: unknown): JsonObject {
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
