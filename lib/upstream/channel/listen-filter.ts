import { isJsonObject, type JsonObject } from "../../kernel/json.ts";

/** What `subscriptions/listen` can ask for (MCP 2026-07-28, Subscriptions), by the capability and its member that it takes. */
const FLAGS: Readonly<Record<string, readonly [capability: string, method: string]>> = {
  toolsListChanged: ["tools", "notifications/tools/list_changed"],
  promptsListChanged: ["prompts", "notifications/prompts/list_changed"],
  resourcesListChanged: ["resources", "notifications/resources/list_changed"],
};

const UPDATED = "notifications/resources/updated";

/** URIs that are listened for. */
export function resourcesIn({ resourceSubscriptions }: JsonObject): readonly string[] {
  return textsOf(resourceSubscriptions);
}

/** Ids of tasks that are listened for (extension Tasks 2026-07-28). */
export function tasksIn({ taskIds }: JsonObject): readonly string[] {
  return textsOf(taskIds);
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];
}

/** Whether anything is asked for. */
export function isListening(notifications: JsonObject): boolean {
  return Object.values(notifications).some((wanted) => wanted === true || (Array.isArray(wanted) && wanted.length > 0));
}

/** Of what is asked for, what a server with these capabilities tells. */
export function listenable(notifications: JsonObject, capabilities: JsonObject): JsonObject {
  const has = (capability: string, member: string): boolean => {
    const declared = capabilities[capability];
    return isJsonObject(declared) && declared[member] === true;
  };
  const flags = Object.entries(FLAGS).filter(
    ([flag, [capability]]) => notifications[flag] === true && has(capability, "listChanged"),
  );
  const resourceSubscriptions = has("resources", "subscribe") ? resourcesIn(notifications) : [];
  return {
    ...Object.fromEntries(flags.map(([flag]) => [flag, true])),
    ...(resourceSubscriptions.length > 0 && { resourceSubscriptions }),
  };
}

/** Whether a notification that a server sent by itself is one that was asked for. */
export function isAskedFor({ method }: JsonObject, notifications: JsonObject): boolean {
  if (method === UPDATED) return resourcesIn(notifications).length > 0;
  return Object.entries(FLAGS).some(([flag, [, told]]) => told === method && notifications[flag] === true);
}

/** The notifications that are asked for of lists that change. */
export function listChangesIn(notifications: JsonObject): readonly string[] {
  return Object.entries(FLAGS).flatMap(([flag, [, method]]) => (notifications[flag] === true ? [method] : []));
}

/** What several servers agreed to tell, as one. */
export function togetherListened(all: readonly JsonObject[]): JsonObject {
  const resourceSubscriptions = [...new Set(all.flatMap(resourcesIn))];
  const taskIds = [...new Set(all.flatMap(tasksIn))];
  const members = all.flatMap(Object.entries).filter(([, value]) => value !== false);
  return {
    ...Object.fromEntries(members.toReversed()),
    ...(resourceSubscriptions.length > 0 && { resourceSubscriptions }),
    ...(taskIds.length > 0 && { taskIds }),
  };
}
