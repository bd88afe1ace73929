import { isJsonObject, type JsonObject } from "../../json.ts";

/**
 * Progress of a call that goes on for another request of the agent than the one it began with: by the token of that request, or not
 * at all where it has none (MCP, Progress). Other notifications stay as they are.
 */
export function withProgressToken(message: JsonObject, first: unknown, current: unknown): JsonObject | undefined {
  const { method, params } = message;
  if (method !== "notifications/progress" || !isJsonObject(params) || params.progressToken !== first) return message;
  if (first === current) return message;
  return current === undefined ? undefined : { ...message, params: { ...params, progressToken: current } };
}
