import type { RequestContext } from "../context.ts";
import type { JsonObject } from "../json-rpc.ts";
import { complete } from "./completion.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { listResources, listResourceTemplates, readResource } from "./resources.ts";
import { callTool, listTools } from "./tools.ts";

export type Method = (context: RequestContext) => JsonObject | Promise<JsonObject>;

/** Methods that both generations have. */
export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["tools/list", listTools],
  ["tools/call", callTool],
  ["prompts/list", listPrompts],
  ["prompts/get", getPrompt],
  ["resources/list", listResources],
  ["resources/templates/list", listResourceTemplates],
  ["resources/read", readResource],
  ["completion/complete", complete],
]);
