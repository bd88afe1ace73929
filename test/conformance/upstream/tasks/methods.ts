import { INVALID_PARAMS, type JsonObject, objectAt, RpcError } from "../json-rpc.ts";
import { demandTasks } from "./extension.ts";
import type { Task, Tasks } from "./task.ts";

type TaskMethod = (task: Task, params: JsonObject) => JsonObject;

/** Methods of the extension; all but `tasks/get` answer with nothing. */
const TASK_METHODS: ReadonlyMap<string, TaskMethod> = new Map<string, TaskMethod>([
  ["tasks/get", (task) => task.detailed()],
  [
    "tasks/update",
    (task, params) => {
      task.update(objectAt(params, "inputResponses"));
      return {};
    },
  ],
  [
    "tasks/cancel",
    (task) => {
      task.cancel();
      return {};
    },
  ],
]);

export function isTaskMethod(method: string): boolean {
  return TASK_METHODS.has(method);
}

/** @throws RpcError for a client without the extension, and for a task that there is not */
export function runTaskMethod(
  method: string,
  params: JsonObject,
  clientCapabilities: JsonObject,
  tasks: Tasks,
): JsonObject {
  demandTasks(clientCapabilities);
  const task = tasks.get(String(params.taskId));
  const run = TASK_METHODS.get(method);
  if (task === undefined || run === undefined) throw new RpcError(INVALID_PARAMS, "There is no such task.");
  return run(task, params);
}
