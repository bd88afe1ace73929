import { isJsonObject, type JsonObject } from "../json.ts";

/** Texts of tools, which are the same objects in every list. */
const tools = new WeakMap<object, string>();

/** A message as JSON. A list of tools is most of what the gateway writes, so that each tool is put into words once. */
export function messageText(message: JsonObject): string {
  const { result, ...envelope } = message;
  if (!isJsonObject(result) || !Array.isArray(result.tools)) return JSON.stringify(message);
  const { tools: listed, ...others } = result;
  const list = `"tools":[${(listed as readonly object[]).map(toolText).join(",")}]`;
  return withMember(envelope, `"result":${withMember(others, list)}`);
}

function toolText(tool: object): string {
  const known = tools.get(tool);
  if (known !== undefined) return known;
  const text = JSON.stringify(tool);
  tools.set(tool, text);
  return text;
}

/** @param member as JSON, the name before it */
function withMember(object: JsonObject, member: string): string {
  const text = JSON.stringify(object);
  return text === "{}" ? `{${member}}` : `${text.slice(0, -1)},${member}}`;
}
