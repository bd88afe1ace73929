import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { Naming } from "./namespaced.ts";
import { ownersOf } from "./resource-uri.ts";
import { taskOwners } from "./task-id.ts";

/**
 * The params of `subscriptions/listen` for one of several apps: of the resources and tasks those that are, or may be, the app's, by
 * the upstream's own URIs and ids (MCP 2026-07-28, Subscriptions; the extension Tasks). Without any of them the filter asks for none.
 */
export function listenedOf<A extends Naming>(params: JsonObject, app: A, apps: readonly A[]): JsonObject {
  const { notifications } = params;
  if (!isJsonObject(notifications)) return params;
  const uris = (uri: string) => ownersOf(apps, uri).flatMap((owner) => (owner.app === app ? [owner.uri] : []));
  const ids = (taskId: string) => taskOwners(apps, taskId).flatMap((owner) => (owner.app === app ? [owner.id] : []));
  const own = ownIn(ownIn(notifications, "resourceSubscriptions", uris), "taskIds", ids);
  return own === notifications ? params : { ...params, notifications: own };
}

function ownIn(
  notifications: JsonObject,
  member: "resourceSubscriptions" | "taskIds",
  ownOf: (name: string) => readonly string[],
): JsonObject {
  const { [member]: named, ...others } = notifications;
  if (!Array.isArray(named)) return notifications;
  const own = named.filter((name) => typeof name === "string").flatMap(ownOf);
  return { ...others, ...(own.length > 0 && { [member]: own }) };
}
