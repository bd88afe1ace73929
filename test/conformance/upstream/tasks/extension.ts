import { type JsonObject, MISSING_CAPABILITY, objectAt, RpcError } from "../json-rpc.ts";

/** The extension with which calls may go on after their answer (SEP-2663). */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

export function knowsTasks(clientCapabilities: JsonObject): boolean {
  return objectAt(clientCapabilities, "extensions")[TASKS_EXTENSION] !== undefined;
}

/** @throws RpcError for a client that did not declare the extension */
export function demandTasks(clientCapabilities: JsonObject): void {
  if (knowsTasks(clientCapabilities)) return;
  throw new RpcError(MISSING_CAPABILITY, `The client did not declare ${TASKS_EXTENSION}.`, {
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  });
}
