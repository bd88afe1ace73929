import { isJsonObject, type JsonObject } from "../../json.ts";
import { mayBeAsked } from "../channel/agent-capabilities.ts";

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
