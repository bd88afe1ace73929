import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { exchangeText } from "./exchange-text.ts";
import type { Naming } from "./namespaced.ts";
import { labelOf } from "./resource-uri.ts";

/** In `_meta`: `{ taskId }`, the task that a message belongs to (MCP 2025-11-25, Tasks, Related Task Metadata). */
export const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** The id of an upstream's task as agents see it, as `ledger+786512e2`: servers count on their own, and may use the same ids. */
export function wrapTaskId({ name, namespace }: Naming, id: string): string {
  return namespace === "" ? id : `${labelOf(name)}+${id}`;
}

/** The upstream's own id; undefined where what the agent sent is none of this app. */
export function unwrapTaskId({ name, namespace }: Naming, id: string): string | undefined {
  if (namespace === "") return id;
  const label = `${labelOf(name)}+`;
  return id.startsWith(label) ? id.slice(label.length) : undefined;
}

/** A task as one upstream knows it. */
export interface OwnedTask<A extends Naming> {
  readonly app: A;
  /** The upstream's own id. */
  readonly id: string;
}

/** Whose task an id that an agent sent may be: that of the one app which it names, else of any app without a namespace, in their order. */
export function taskOwners<A extends Naming>(apps: readonly A[], taskId: string): readonly OwnedTask<A>[] {
  const owned = apps.flatMap((app) => {
    const id = unwrapTaskId(app, taskId);
    return id === undefined ? [] : [{ app, id }];
  });
  const named = owned.find(({ app }) => app.namespace !== "");
  return named === undefined ? owned : [named];
}

/** The task that an object's `_meta` relates it to, by the id that stands there. */
export function relatedTask({ _meta: meta }: JsonObject): string | undefined {
  const related = isJsonObject(meta) ? meta[RELATED_TASK] : undefined;
  return isJsonObject(related) && typeof related.taskId === "string" ? related.taskId : undefined;
}

/** A result or params of an agent as the upstream gets them. What is no task of the app is one of the agent's own, and stays. */
export function withOwnTask(sent: JsonObject, app: Naming): JsonObject {
  return exchangeText(sent, ["_meta", RELATED_TASK, "taskId"], (id) => unwrapTaskId(app, id) ?? id);
}

/** Params of a request, and the answers in them to what the upstream asked (MCP 2026-07-28, Multi Round-Trip Requests). */
export function withOwnTasks(params: JsonObject, app: Naming): JsonObject {
  const own = withOwnTask(params, app);
  const { inputResponses } = own;
  if (!isJsonObject(inputResponses)) return own;
  const responses = Object.entries(inputResponses).map(([key, response]) => [
    key,
    isJsonObject(response) ? withOwnTask(response, app) : response,
  ]);
  return { ...own, inputResponses: Object.fromEntries(responses) };
}
