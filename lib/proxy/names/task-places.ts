import { RELATED_TASK } from "./task-id.ts";

type Path = readonly string[];

const RELATED: Path = ["_meta", RELATED_TASK, "taskId"];

/**
 * By the method of the request that is answered; in the whole message. A call that becomes a task says so in `task` (MCP
 * 2025-11-25), or in its result itself (extension Tasks 2026-07-28).
 */
const ANSWERS: Readonly<Record<string, readonly Path[]>> = {
  "tools/call": [
    ["result", "task", "taskId"],
    ["result", "taskId"],
  ],
  "tasks/get": [
    ["result", "taskId"],
    ["result", "result", ...RELATED],
  ],
  "tasks/cancel": [["result", "taskId"]],
  "tasks/list": [["result", "tasks", "*", "taskId"]],
};

/** By the method of a notification of the upstream. */
const MESSAGES: Readonly<Record<string, readonly Path[]>> = {
  "notifications/tasks": [
    ["params", "taskId"],
    ["params", "result", ...RELATED],
  ],
  "notifications/tasks/status": [["params", "taskId"]],
  "notifications/subscriptions/acknowledged": [["params", "notifications", "taskIds", "*"]],
};

/** Where the answer to a request has ids of the upstream's tasks. */
export function taskPlacesInAnswer(method: string): readonly Path[] {
  return [...placesOf(ANSWERS, method), ["result", ...RELATED]];
}

/** Where a message that an upstream sends by itself has them. What it asks of a task by `tasks/…` is one of the agent's own. */
export function taskPlacesInMessage(method: string): readonly Path[] {
  return method.startsWith("tasks/") ? [] : [...placesOf(MESSAGES, method), ["params", ...RELATED]];
}

function placesOf(places: Readonly<Record<string, readonly Path[]>>, method: string): readonly Path[] {
  return Object.hasOwn(places, method) ? (places[method] ?? []) : [];
}
