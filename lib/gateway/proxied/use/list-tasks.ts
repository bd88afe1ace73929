import type { McpProxyAppConfiguration } from "../../../config/app-configuration.ts";
import { isJsonObject, type JsonObject } from "../../../json.ts";
import { causeOf } from "../../../logging/cause.ts";
import { gather, LISTING_DEADLINE } from "../../../proxy/catalog/gather.ts";
import { type Ask, readPages } from "../../../proxy/catalog/read-pages.ts";
import { taskOwners, wrapTaskId } from "../../../proxy/names/task-id.ts";
import type { Gateway } from "../../gateway.ts";
import { createAsk } from "../ask.ts";
import { allowing } from "./decide.ts";
import type { UseCaller } from "./use.ts";

export const TASKS_LIST = "tasks/list";

/**
 * The tasks that several upstreams have of the caller, in the order of the apps, by the ids that agents see; of those with the
 * same id the first. Nothing of it is kept. An app that fails or is late costs itself alone (checklist 31).
 *
 * @param visible the apps that there are for the caller
 */
export async function listTasks(
  visible: readonly McpProxyAppConfiguration[],
  caller: UseCaller,
  gateway: Gateway,
): Promise<readonly JsonObject[]> {
  const allowed = await allowing(TASKS_LIST, visible, caller, gateway);
  const load = (app: McpProxyAppConfiguration) => readTasks(createAsk(app, caller, gateway));
  const { lists, missing } = await gather(allowed, load, { last: () => undefined, deadline: LISTING_DEADLINE });
  for (const { app, why, cause } of missing)
    caller.request.logger.warn("an upstream did not list its tasks", { app: app.name, why, cause: causeOf(cause) });
  const byId = new Map<string, JsonObject>();
  for (const { app, list } of lists) {
    for (const task of list) {
      const taskId = wrapTaskId(app, task.taskId);
      const isOwn = taskOwners(visible, taskId).some((owner) => owner.app === app);
      if (isOwn && !byId.has(taskId)) byId.set(taskId, { ...task, taskId });
    }
  }
  return [...byId.values()];
}

/** Of one upstream. */
const MOST_PAGES = 100;
const MOST_TASKS = 1_000;

type ListedTask = JsonObject & { readonly taskId: string };

/** @throws what `ask` rejects with */
async function readTasks(ask: Ask): Promise<readonly ListedTask[]> {
  const tasks: ListedTask[] = [];
  let pages = 0;
  for await (const { entries } of readPages({ method: TASKS_LIST, member: "tasks" }, ask)) {
    tasks.push(...entries.filter(isTask).slice(0, MOST_TASKS - tasks.length));
    pages += 1;
    if (pages === MOST_PAGES || tasks.length === MOST_TASKS) break;
  }
  return tasks;
}

function isTask(entry: unknown): entry is ListedTask {
  return isJsonObject(entry) && typeof entry.taskId === "string";
}
