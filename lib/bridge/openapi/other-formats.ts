import type { JsonObject } from "../../json.ts";
import { member, text } from "./plain.ts";

/** What a document of another format is, for people; undefined for OpenAPI and for what is not known. */
export function otherFormat(content: JsonObject): string | undefined {
  if (content.openapi !== undefined || content.swagger !== undefined) return undefined;
  const { swaggerVersion, asyncapi } = content;
  if (swaggerVersion !== undefined) return `Swagger ${versionText(swaggerVersion)}`;
  if (asyncapi !== undefined) return `AsyncAPI ${versionText(asyncapi)}`;
  if (isPostmanCollection(content) || isPostmanCollection(content.collection)) return "a Postman collection";
  const introspection = member(content, "__schema") ?? member(content.data, "__schema");
  return introspection === undefined ? undefined : "a GraphQL schema";
}

/** Of the collection format 2; its API answers with one below `collection`. */
function isPostmanCollection(value: unknown): boolean {
  const info = member(value, "info");
  return member(info, "_postman_id") !== undefined || /postman\.com/.test(text(member(info, "schema")) ?? "");
}

function versionText(version: unknown): string {
  return typeof version === "string" || typeof version === "number" ? String(version).slice(0, 20) : "";
}
