import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { MISSING_CAPABILITY, RpcError } from "./json-rpc.ts";

/** The extension by which the answer to a call may be a task, which has the result later (SEP-2663). */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** `resultType` of an answer that is a task. */
export const TASK = "task";

export function takesTasks({ extensions }: JsonObject): boolean {
  return isJsonObject(extensions) && isJsonObject(extensions[TASKS_EXTENSION]);
}

/** @throws RpcError for a client that did not declare the extension with its request */
export function demandTasks(clientCapabilities: JsonObject): void {
  if (takesTasks(clientCapabilities)) return;
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  throw new RpcError(MISSING_CAPABILITY, `The request does not declare the extension ${TASKS_EXTENSION}.`, {
    requiredCapabilities,
  });
}
