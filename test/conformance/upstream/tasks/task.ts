import { randomUUID } from "node:crypto";
import type { InputRequests } from "../context.ts";
import { errorMessage, INTERNAL_ERROR, isObject, type JsonObject, RpcError } from "../json-rpc.ts";

/** How long a task can be asked about, milliseconds. */
const TTL = 60_000;

/** What a task does; what it needs of the client comes by `tasks/update`. */
export type TaskWork = (task: {
  readonly signal: AbortSignal;
  ask(requests: InputRequests): Promise<Readonly<Record<string, JsonObject>>>;
}) => Promise<JsonObject>;

export interface Task {
  /** What creating it answers. */
  base(): JsonObject;
  /** The same, with what there is by now: a result, an error, or what is asked. */
  detailed(): JsonObject;
  update(inputResponses: JsonObject): void;
  cancel(): void;
}

export type Tasks = Map<string, Task>;

export function startTask(work: TaskWork, tasks: Tasks): Task {
  const taskId = randomUUID();
  const createdAt = new Date().toISOString();
  const cancelled = new AbortController();
  let now: JsonObject = { status: "working" };
  let lastUpdatedAt = createdAt;
  let pending: Record<string, unknown> = {};
  let answered: Record<string, JsonObject> = {};
  let goOn: (() => void) | undefined;

  const become = (next: JsonObject) => {
    if (now.status !== "working" && now.status !== "input_required") return;
    now = next;
    lastUpdatedAt = new Date().toISOString();
  };
  const ask = async (requests: InputRequests) => {
    [pending, answered] = [{ ...requests }, {}];
    become({ status: "input_required" });
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    become({ status: "working" });
    return answered;
  };
  const base = () => ({ taskId, createdAt, lastUpdatedAt, ttlMs: TTL, pollIntervalMs: 100, status: now.status });
  work({ signal: cancelled.signal, ask }).then(
    (result) => become({ status: "completed", result }),
    (cause: unknown) => become({ status: "failed", error: errorMessage(null, asRpcError(cause)).error }),
  );
  const task: Task = {
    base,
    detailed: () => ({ ...base(), ...now, ...(now.status === "input_required" && { inputRequests: pending }) }),
    update: (inputResponses) => {
      for (const [key, response] of Object.entries(inputResponses)) {
        if (pending[key] === undefined || !isObject(response)) continue;
        answered[key] = response;
        delete pending[key];
      }
      if (Object.keys(pending).length === 0) goOn?.();
    },
    cancel: () => {
      become({ status: "cancelled" });
      cancelled.abort();
    },
  };
  tasks.set(taskId, task);
  setTimeout(() => tasks.delete(taskId), TTL).unref();
  return task;
}

function asRpcError(cause: unknown): RpcError {
  return cause instanceof RpcError ? cause : new RpcError(INTERNAL_ERROR, String(cause));
}
