import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Naming } from "./namespaced.ts";
import { ownersOf } from "./resource-owner.ts";

/**
 * The params of `subscriptions/listen` for one of several apps: of the resources those that are, or may be, the app's, by the
 * upstream's own URIs (MCP 2026-07-28, Subscriptions). Without any of them the filter asks for no resources.
 */
export function listenedOf<A extends Naming>(params: JsonObject, app: A, apps: readonly A[]): JsonObject {
  const { notifications } = params;
  if (!isJsonObject(notifications) || !Array.isArray(notifications.resourceSubscriptions)) return params;
  const { resourceSubscriptions, ...others } = notifications;
  const own = resourceSubscriptions
    .filter((uri) => typeof uri === "string")
    .flatMap((uri) => ownersOf(apps, uri).filter((owner) => owner.app === app))
    .map(({ uri }) => uri);
  return { ...params, notifications: { ...others, ...(own.length > 0 && { resourceSubscriptions: own }) } };
}
