type Path = readonly string[];

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
export function uriPlacesInAnswer(method: string): readonly Path[] {
  return Object.hasOwn(ANSWERS, method) ? (ANSWERS[method] ?? []) : [];
}

/** Where a message that an upstream sends by itself has them. */
export function uriPlacesInMessage(method: string): readonly Path[] {
  return Object.hasOwn(MESSAGES, method) ? (MESSAGES[method] ?? []) : [];
}

function below(path: Path, places: readonly Path[]): readonly Path[] {
  return places.map((place) => [...path, ...place]);
}
