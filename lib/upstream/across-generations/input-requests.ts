import { isJsonObject, type JsonObject } from "../../kernel/json.ts";

/** What an upstream asks of an agent: a request without id and version, and so also an entry of `inputRequests`. */
export interface InputRequest {
  readonly method: string;
  readonly params?: JsonObject;
}

/** Requests that may carry questions (MCP 2026-07-28, Multi Round-Trip Requests, Supported Requests). */
export const MAY_ASK: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

const METHODS: ReadonlySet<string> = new Set(["elicitation/create", "sampling/createMessage", "roots/list"]);
const CAPABILITIES = ["elicitation", "sampling", "roots"];

/** Undefined for what is no request, for one of another method, and for what the agent cannot do. */
export function readInputRequest(value: unknown, clientCapabilities: JsonObject): InputRequest | undefined {
  if (!isJsonObject(value) || typeof value.method !== "string" || !METHODS.has(value.method)) return undefined;
  const { method, params } = value;
  if (!mayBeAsked(method, clientCapabilities)) return undefined;
  return { method, ...(isJsonObject(params) && { params }) };
}

/** Capabilities without those that let a server ask. */
export function withoutQuestions(clientCapabilities: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(clientCapabilities).filter(([name]) => !CAPABILITIES.includes(name)));
}

export function canBeAsked(clientCapabilities: JsonObject): boolean {
  return CAPABILITIES.some((name) => clientCapabilities[name] !== undefined);
}

/** Which capability of a client a request to it takes (MCP 2025-11-25, Lifecycle, Capability Negotiation), by the method. */
const ASKED_CAPABILITIES: Readonly<Record<string, string>> = {
  "sampling/createMessage": "sampling",
  "elicitation/create": "elicitation",
  "roots/list": "roots",
  "tasks/get": "tasks",
  "tasks/result": "tasks",
  "tasks/list": "tasks",
  "tasks/cancel": "tasks",
};

/** Whether a client may be asked; of methods that nobody knows, any may. */
export function mayBeAsked(method: string, clientCapabilities: JsonObject): boolean {
  const capability = Object.hasOwn(ASKED_CAPABILITIES, method) ? ASKED_CAPABILITIES[method] : undefined;
  return capability === undefined || clientCapabilities[capability] !== undefined;
}
