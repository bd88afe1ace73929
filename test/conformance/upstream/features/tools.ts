import type { RequestContext } from "../context.ts";
import { INVALID_PARAMS, isObject, type JsonObject, RpcError } from "../json-rpc.ts";
import type { Tool, Tools } from "./tool.ts";
import { TOOLS_OF_CONTENT } from "./tools-of-content.ts";
import { TOOLS_THAT_ASK } from "./tools-that-ask.ts";
import { TOOLS_THAT_TELL } from "./tools-that-tell.ts";
import { TOOLS_WITH_INPUT } from "./tools-with-input.ts";
import { TOOLS_WITH_SCHEMAS } from "./tools-with-schemas.ts";
import { TOOLS_WITH_TASKS } from "./tools-with-tasks.ts";

const TOOLS: Tools = {
  ...TOOLS_OF_CONTENT,
  ...TOOLS_WITH_SCHEMAS,
  ...TOOLS_THAT_TELL,
  ...TOOLS_THAT_ASK,
  ...TOOLS_WITH_INPUT,
  ...TOOLS_WITH_TASKS,
};

export function listTools(): JsonObject {
  return {
    tools: Object.entries(TOOLS).map(([name, { description, inputSchema }]) => ({ name, description, inputSchema })),
  };
}

/** @throws RpcError for a tool that does not exist and for arguments that are not what it takes */
export async function callTool(context: RequestContext): Promise<JsonObject> {
  const { name, arguments: given = {} } = context.params;
  const tool = findTool(name);
  if (tool === undefined) throw new RpcError(INVALID_PARAMS, `Unknown tool: ${name}`);
  if (!isObject(given)) throw new RpcError(INVALID_PARAMS, "params.arguments must be an object.");
  const required = Array.isArray(tool.inputSchema.required) ? tool.inputSchema.required : [];
  const missing = required.find((argument) => given[argument] === undefined);
  if (missing !== undefined) throw new RpcError(INVALID_PARAMS, `params.arguments.${missing} is missing.`);
  return tool.call(given, context);
}

export function findTool(name: unknown): Tool | undefined {
  return typeof name === "string" && Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
}
