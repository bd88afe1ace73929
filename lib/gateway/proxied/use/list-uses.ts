import type { McpProxyAppConfiguration } from "../../../config/app-configuration.ts";
import { isJsonObject, type JsonObject } from "../../../kernel/json.ts";
import { causeOf } from "../../../logging/cause.ts";
import { gather, LISTING_DEADLINE } from "../../../upstream/catalog/gather.ts";
import { KINDS, type ListKind } from "../../../upstream/catalog/kinds.ts";
import { type Ask, readPages } from "../../../upstream/catalog/read-list.ts";
import { mayOwn } from "../../../upstream/names/namespaced.ts";
import { taskOwners, wrapTaskId } from "../../../upstream/names/task-id.ts";
import type { DecisionPorts } from "../../decision/step.ts";
import { createAsk, type ProxyPorts } from "../ask.ts";
import { listsOf } from "../lists.ts";
import type { HiddenName } from "../proxies.ts";
import { visibleProxies } from "../proxies.ts";
import { allowing, type UseCaller } from "./use.ts";

/**
 * What all upstreams list for the caller, in the order of the apps; of entries that look the same, the first. An app whose
 * policies would allow none of it lists nothing.
 */
export async function listUses(
  kind: Exclude<ListKind, "tools">,
  caller: UseCaller,
  gateway: ProxyPorts & DecisionPorts,
): Promise<readonly JsonObject[]> {
  const { method } = KINDS[kind];
  const visible = await visibleProxies(caller.identity, gateway);
  const allowed = await allowing(method, visible, caller, gateway);
  const byName = new Map<string, { readonly app: string; readonly definition: JsonObject }>();
  const hidden: HiddenName[] = [];
  const { lists } = await listsOf(kind, allowed, caller, gateway);
  for (const { app, list } of lists) {
    for (const { name, definition } of list.entries) {
      if (kind === "prompts" && !mayOwn(visible, name).includes(app)) continue;
      const known = byName.get(name);
      if (known === undefined) byName.set(name, { app: app.name, definition });
      else hidden.push({ app: app.name, behind: known.app, name });
    }
  }
  gateway.proxies.hiddenNames.tell(kind, hidden, caller.request.logger);
  return [...byName.values()].map(({ definition }) => definition);
}

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
  gateway: ProxyPorts & DecisionPorts,
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
