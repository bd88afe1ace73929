import type { ToolAnnotations } from "../../bridge/catalog.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { declaredParamHeaders } from "./param-headers.ts";
import type { UpstreamEntry, UpstreamTool } from "./upstream-list.ts";

/** What is known of a tool, of its definition with the names that agents see. */
export function upstreamTool(entry: UpstreamEntry): UpstreamTool {
  const { title, description, annotations, inputSchema } = entry.definition;
  const paramHeaders = declaredParamHeaders(inputSchema);
  return {
    ...entry,
    localName: entry.upstreamName,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    annotations: isJsonObject(annotations) ? annotationsOf(annotations) : {},
    ...(paramHeaders.length > 0 && { paramHeaders }),
  };
}

function annotationsOf({
  title,
  readOnlyHint,
  idempotentHint,
  destructiveHint,
  openWorldHint,
}: JsonObject): ToolAnnotations {
  return {
    ...(typeof title === "string" && { title }),
    ...(typeof readOnlyHint === "boolean" && { readOnlyHint }),
    ...(typeof idempotentHint === "boolean" && { idempotentHint }),
    ...(typeof destructiveHint === "boolean" && { destructiveHint }),
    ...(typeof openWorldHint === "boolean" && { openWorldHint }),
  };
}
