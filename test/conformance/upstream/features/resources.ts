import type { RequestContext } from "../context.ts";
import { INVALID_PARAMS, type JsonObject, RpcError } from "../json-rpc.ts";
import { PIXEL } from "./content.ts";

interface Resource {
  readonly name: string;
  readonly mimeType: string;
  readonly content: { readonly text: string } | { readonly blob: string };
}

const RESOURCES: Readonly<Record<string, Resource>> = {
  "test://static-text": {
    name: "static text",
    mimeType: "text/plain",
    content: { text: "This is the content of the static text resource." },
  },
  "test://static-binary": { name: "static image", mimeType: "image/png", content: { blob: PIXEL } },
  "test://watched-resource": { name: "watched", mimeType: "text/plain", content: { text: "It may change." } },
};

const TEMPLATE = {
  uriTemplate: "test://template/{id}/data",
  name: "data by id",
  mimeType: "application/json",
} as const;

export function listResources(): JsonObject {
  const resources = Object.entries(RESOURCES).map(([uri, { name, mimeType }]) => ({
    uri,
    name,
    description: `The resource ${name}`,
    mimeType,
  }));
  return { resources };
}

export function listResourceTemplates(): JsonObject {
  return { resourceTemplates: [{ ...TEMPLATE, description: "Data of the thing that the id names" }] };
}

/** @throws RpcError for a URI that is none of a resource's (SEP-2164) */
export function readResource({ params: { uri } }: RequestContext): JsonObject {
  const known = typeof uri === "string" && Object.hasOwn(RESOURCES, uri) ? RESOURCES[uri] : undefined;
  if (known !== undefined) return { contents: [{ uri, mimeType: known.mimeType, ...known.content }] };
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(String(uri)) ?? [];
  if (id === undefined) throw new RpcError(INVALID_PARAMS, "Resource not found", { uri });
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: TEMPLATE.mimeType, text: data }] };
}
