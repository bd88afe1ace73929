import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { isRequestId } from "../protocol/mcp/message.ts";
import { isPassedOn } from "../tool-rules/server-rules.ts";
import type { ListKind } from "./catalog/kinds.ts";
import { wrappedMessage } from "./names/rules-of.ts";
import { agentFacingId } from "./request-ids.ts";
import type { Upstream } from "./upstream.ts";

/** Which lists are out of date, by the notification that says so. */
const CHANGED: Readonly<Record<string, readonly ListKind[]>> = {
  "notifications/tools/list_changed": ["tools"],
  "notifications/prompts/list_changed": ["prompts"],
  "notifications/resources/list_changed": ["resources", "resourceTemplates"],
};

/**
 * A notification of an upstream goes to the agent as it is, with the names that the agent knows. A list that changed is out of
 * date for everybody.
 */
export function relayNotification(message: JsonObject, { agent, app, shared }: Upstream): void {
  const method = String(message.method);
  const changed = Object.hasOwn(CHANGED, method) ? CHANGED[method] : undefined;
  for (const kind of changed ?? []) shared.catalogs.invalidate(app.name, kind);
  if (!isPassedOn(message, app.rules)) return;
  const wrapped = wrappedMessage(message, app);
  agent.relay(method === "notifications/cancelled" ? withAgentsId(wrapped, app.name) : wrapped);
}

/** What an upstream asked and does not want to know any more. */
function withAgentsId(message: JsonObject, app: string): JsonObject {
  const { params } = message;
  if (!isJsonObject(params) || !isRequestId(params.requestId)) return message;
  return { ...message, params: { ...params, requestId: agentFacingId(app, params.requestId) } };
}
