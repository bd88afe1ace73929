import type { McpProxyAppConfiguration } from "../../../config/app-configuration.ts";
import { causeOf } from "../../../logging/cause.ts";
import type { Gateway } from "../../gateway.ts";
import { createAsk } from "../ask.ts";
import type { UseCaller } from "./use.ts";

/**
 * Which of several apps without a namespace has a task: the first, in their order, that tells of it; the first of all where none
 * does. Not every server lists its tasks, so that each is asked.
 */
export async function taskOwner<C extends { readonly app: McpProxyAppConfiguration }>(
  candidates: readonly C[],
  taskId: string,
  caller: UseCaller,
  gateway: Gateway,
): Promise<C | undefined> {
  for (const candidate of candidates) {
    if (await hasTask(candidate.app, taskId, caller, gateway)) return candidate;
  }
  return candidates[0];
}

async function hasTask(
  app: McpProxyAppConfiguration,
  taskId: string,
  caller: UseCaller,
  gateway: Gateway,
): Promise<boolean> {
  try {
    await createAsk(app, caller, gateway)("tasks/get", { taskId });
    return true;
  } catch (cause) {
    // It is another's, or nobody's: the request itself tells the agent what is wrong.
    caller.request.logger.debug("an upstream tells nothing of a task", { app: app.name, cause: causeOf(cause) });
    return false;
  }
}
