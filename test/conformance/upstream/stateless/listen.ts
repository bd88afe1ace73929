import type { ServerResponse } from "node:http";
import type { Change, Changes } from "../changes.ts";
import { beginEvents, event } from "../http.ts";
import {
  INVALID_PARAMS,
  isObject,
  type JsonObject,
  notificationMessage,
  RpcError,
  type RpcRequest,
} from "../json-rpc.ts";
import { SUBSCRIPTION_ID } from "./meta.ts";

/**
 * Answers `subscriptions/listen` with a stream of what changes, as long as the client listens (MCP 2026-07-28, Subscriptions).
 *
 * @throws RpcError when the request does not say what to listen for
 */
export function listen({ id, params }: RpcRequest, response: ServerResponse, changes: Changes): void {
  const wanted = params.notifications;
  if (!isObject(wanted)) throw new RpcError(INVALID_PARAMS, "params.notifications must be an object.");
  const _meta = { [SUBSCRIPTION_ID]: id };
  const tell = (method: string, told: JsonObject) =>
    response.write(event(notificationMessage(`notifications/${method}`, { ...told, _meta })));
  beginEvents(response);
  tell("subscriptions/acknowledged", { notifications: honored(wanted) });
  const stopListening = changes.listen((change) => {
    if (!isWanted(change, wanted)) return;
    if ("list" in change) tell(`${change.list}/list_changed`, {});
    else tell("resources/updated", { uri: change.uri });
  });
  response.once("close", stopListening);
}

function isWanted(change: Change, wanted: JsonObject): boolean {
  if ("list" in change) return wanted[`${change.list}ListChanged`] === true;
  return Array.isArray(wanted.resourceSubscriptions) && wanted.resourceSubscriptions.includes(change.uri);
}

function honored(wanted: JsonObject): JsonObject {
  const known = ["toolsListChanged", "promptsListChanged", "resourcesListChanged", "resourceSubscriptions"];
  return Object.fromEntries(known.filter((key) => wanted[key] !== undefined).map((key) => [key, wanted[key]]));
}
