import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { ruledSaying, type ServerRules } from "../../tool-rules/server-rules.ts";
import type { RewriteRules } from "../wire/rewrite-rules.ts";
import { exchangeText } from "./exchange-text.ts";
import type { Naming } from "./namespaced.ts";
import { wrapURI } from "./resource-uri.ts";
import { RELATED_TASK, wrapTaskId } from "./task-id.ts";

type Path = readonly string[];

/**
 * What becomes of an app's answer to a request on the way to the agent. An app without a namespace keeps its URIs and ids of tasks.
 *
 * @param told hears of the upstream's URIs in the result
 */
export function rulesOf(app: Naming, method: string, told?: (uri: string) => void): RewriteRules {
  const tasks = app.namespace === "" ? [] : taskPlacesInAnswer(method);
  const uris = app.namespace === "" && told === undefined ? [] : uriPlacesInAnswer(method);
  const names = wrapping(app, uris, tasks, told);
  return method === "resources/read" ? { ...names, set: [PRIVATE] } : names;
}

/** Of what an upstream sends by itself, and of each of its `inputRequests` (MCP 2026-07-28, Multi Round-Trip Requests). */
export function messageRulesOf(app: Naming, method: string): RewriteRules {
  return app.namespace === "" ? {} : wrapping(app, uriPlacesInMessage(method), taskPlacesInMessage(method));
}

function wrapping(
  app: Naming,
  uris: readonly Path[],
  tasks: readonly Path[],
  told: (uri: string) => void = () => undefined,
): RewriteRules {
  const wrap = (uri: string) => wrapURI(app, uri);
  const wrapTold = (uri: string) => {
    told(uri);
    return wrapURI(app, uri);
  };
  const wrapId = (id: string) => wrapTaskId(app, id);
  const replace = [
    ...uris.map((path) => ({ path, with: path[0] === "result" ? wrapTold : wrap })),
    ...tasks.map((path) => ({ path, with: wrapId })),
  ];
  return replace.length === 0 ? {} : { replace };
}

/** Whoever keeps an answer keeps it for the agent that got it: policies decide for each. */
const PRIVATE = { path: ["result", "cacheScope"], json: '"private"' };

/** A message that was read already, with what `replace` is about replaced. */
export function withReplaced(message: JsonObject, { replace = [] }: RewriteRules): JsonObject {
  return replace.reduce((changed, rule) => exchangeText(changed, rule.path, rule.with), message);
}

/** A notification or request of an upstream as agents get it, with what rules for results leave of it. */
export function wrappedMessage(message: JsonObject, app: Speaking): JsonObject {
  if (typeof message.method !== "string") return message;
  return withReplaced(ruledSaying(message, app.rules), messageRulesOf(app, message.method));
}

/** An app whose server speaks. */
type Speaking = Naming & { readonly rules?: ServerRules };

/** The `inputRequests` of a result or a task, by their keys, as agents get them (MCP 2026-07-28, Multi Round-Trip Requests). */
export function wrappedInputRequests(inputRequests: JsonObject, app: Speaking): JsonObject {
  return Object.fromEntries(
    Object.entries(inputRequests).map(([key, request]) => [
      key,
      isJsonObject(request) ? wrappedMessage(request, app) : request,
    ]),
  );
}

/** Members of `_meta` that name a resource: MCP Apps 2026-01-26, its older form, and what ChatGPT's apps have. */
export const META_PLACES: readonly Path[] = [
  ["_meta", "ui", "resourceUri"],
  ["_meta", "ui/resourceUri"],
  ["_meta", "openai/outputTemplate"],
];

/** Of a block of content: a link to a resource, or a resource itself. */
const BLOCK: readonly Path[] = [["uri"], ["resource", "uri"]];

/** `content` as a list of blocks. */
const CONTENT = below(["content", "*"], BLOCK);

/** Messages for a model: one block or a list, and among them results of its tools (MCP 2025-11-25, Sampling). */
const SAMPLING = below(
  ["params", "messages", "*"],
  [...below(["content"], [...BLOCK, ...CONTENT]), ...below(["content", "*"], [...BLOCK, ...CONTENT])],
);

const TOOL_RESULT = [...CONTENT, ...META_PLACES];
/** A task has the result of its request in `result` (extension Tasks 2026-07-28). */
const TASK = below(["result"], TOOL_RESULT);
/** Where an error says which resource there is not (MCP, Resources, Error Handling). */
const UNKNOWN_RESOURCE: readonly Path[] = [["error", "data", "uri"]];

/** By the method of the request that is answered; in the whole message. */
const ANSWERS: Readonly<Record<string, readonly Path[]>> = {
  "tools/call": below(["result"], TOOL_RESULT),
  "tasks/result": below(["result"], TOOL_RESULT),
  "tasks/get": below(["result"], TASK),
  "prompts/get": below(["result", "messages", "*", "content"], BLOCK),
  "resources/read": [["result", "contents", "*", "uri"], ...UNKNOWN_RESOURCE],
  "resources/subscribe": UNKNOWN_RESOURCE,
  "resources/unsubscribe": UNKNOWN_RESOURCE,
};

/** By the method of a notification or request of the upstream; in the whole message. */
const MESSAGES: Readonly<Record<string, readonly Path[]>> = {
  "notifications/resources/updated": [["params", "uri"]],
  "notifications/subscriptions/acknowledged": [["params", "notifications", "resourceSubscriptions", "*"]],
  "notifications/tasks": below(["params"], TASK),
  "sampling/createMessage": SAMPLING,
};

/** Where the answer to a request has URIs of the upstream's resources. */
function uriPlacesInAnswer(method: string): readonly Path[] {
  return Object.hasOwn(ANSWERS, method) ? (ANSWERS[method] ?? []) : [];
}

/** Where a message that an upstream sends by itself has them. */
function uriPlacesInMessage(method: string): readonly Path[] {
  return Object.hasOwn(MESSAGES, method) ? (MESSAGES[method] ?? []) : [];
}

function below(path: Path, places: readonly Path[]): readonly Path[] {
  return places.map((place) => [...path, ...place]);
}

const RELATED: Path = ["_meta", RELATED_TASK, "taskId"];

/**
 * By the method of the request that is answered; in the whole message. A call that becomes a task says so in `task` (MCP
 * 2025-11-25), or in its result itself (extension Tasks 2026-07-28).
 */
const TASK_ANSWERS: Readonly<Record<string, readonly Path[]>> = {
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
const TASK_MESSAGES: Readonly<Record<string, readonly Path[]>> = {
  "notifications/tasks": [
    ["params", "taskId"],
    ["params", "result", ...RELATED],
  ],
  "notifications/tasks/status": [["params", "taskId"]],
  "notifications/subscriptions/acknowledged": [["params", "notifications", "taskIds", "*"]],
};

/** Where the answer to a request has ids of the upstream's tasks. */
function taskPlacesInAnswer(method: string): readonly Path[] {
  return [...placesOf(TASK_ANSWERS, method), ["result", ...RELATED]];
}

/** Where a message that an upstream sends by itself has them. What it asks of a task by `tasks/…` is one of the agent's own. */
function taskPlacesInMessage(method: string): readonly Path[] {
  return method.startsWith("tasks/") ? [] : [...placesOf(TASK_MESSAGES, method), ["params", ...RELATED]];
}

function placesOf(places: Readonly<Record<string, readonly Path[]>>, method: string): readonly Path[] {
  return Object.hasOwn(places, method) ? (places[method] ?? []) : [];
}
